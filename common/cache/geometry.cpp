#include "common/cache/geometry.hpp"

#include <bit>
#include <string>

#include "common/error.hpp"

namespace tallcache::cache {

std::size_t validated_line(std::size_t line_bytes) {
  if (!std::has_single_bit(line_bytes))
    throw Error("a cache line of " + std::to_string(line_bytes) + " bytes: it must be a power of two");
  return line_bytes;
}

std::size_t cache_lines(std::size_t bytes, std::size_t line_bytes) {
  validated_line(line_bytes);
  const std::string what =
      "a cache of " + std::to_string(bytes) + " bytes with lines of " + std::to_string(line_bytes);
  if (bytes % line_bytes) throw Error(what + ": its size must be a multiple of the line");
  if (bytes / line_bytes < min_cache_lines)
    throw Error(what + ": it must have at least " + std::to_string(min_cache_lines) + " lines");
  return bytes / line_bytes;
}

void validate(std::span<const CacheLevel> levels) {
  if (levels.empty() || levels.size() > 3)
    throw Error("a hierarchy of " + std::to_string(levels.size()) + " cache levels: it must have 1 to 3");
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const CacheLevel& level = levels[i];
    const std::string what = "cache level " + std::to_string(i + 1) + ": ";
    const std::size_t lines = cache_lines(level.bytes, level.line);
    if (level.ways == 0)
      throw Error(what + "0 ways: 1 is direct-mapped, " + std::to_string(lines) + " fully associative");
    if (lines % level.ways)
      throw Error(what + std::to_string(lines) + " lines are no multiple of " + std::to_string(level.ways) +
                  " ways");
    if (i && level.line < levels[i - 1].line)
      throw Error(what + "its line of " + std::to_string(level.line) + " bytes is shorter than the " +
                  std::to_string(levels[i - 1].line) + " of the level above");
  }
}

}  // namespace tallcache::cache
