// Sizes of caches, and which of them make sense.
#pragma once

#include <cstddef>
#include <span>

namespace tallcache::cache {

/// A cache with fewer lines than this holds no algorithm's working set: the size is most likely given in the
/// wrong unit.
inline constexpr std::size_t min_cache_lines = 4;

/// line_bytes, when it is a power of two; throws Error otherwise.
std::size_t validated_line(std::size_t line_bytes);

/// The lines of a fully associative cache of `bytes`; throws Error when the line is no power of two, does not
/// divide the size, or the cache has fewer than min_cache_lines lines.
std::size_t cache_lines(std::size_t bytes, std::size_t line_bytes);

/// One level of a hierarchy. Replacement is least recently used within a set. The set of a line is its
/// address / line modulo the number of sets, which need not be a power of two.
struct CacheLevel {
  std::size_t bytes;
  std::size_t ways;
  std::size_t line = 64;
  bool write_back = true;  ///< false: every store goes through to the next level
  bool write_allocate =
      true;  ///< false: a store that misses goes to the next level and leaves this one alone

  std::size_t lines() const { return bytes / line; }
  std::size_t sets() const { return lines() / ways; }
};

/// Throws Error when a level is impossible (no ways, a size that is no multiple of line x ways, a line that
/// is no power of two, too few lines), when a level's line is shorter than that of the level above, or when
/// there is no level or more than three.
void validate(std::span<const CacheLevel> levels);

}  // namespace tallcache::cache
