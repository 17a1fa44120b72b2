#include "bench/results/caches.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tallcache {

Json caches_json(std::span<const cache::CacheLevel> levels) {
  Json caches = Json::array();
  for (const cache::CacheLevel& level : levels)
    caches.push_back({{"bytes", level.bytes}, {"ways", level.ways}, {"line", level.line}});
  return caches;
}

std::string cache_text(const Json& cache) {
  const std::size_t bytes = cache.at("bytes"), ways = cache.at("ways"), line = cache.at("line");
  const std::string size = bytes % (1 << 20) == 0 ? fmt::format("{} MiB", bytes >> 20)
                           : bytes % 1024 == 0    ? fmt::format("{} KiB", bytes >> 10)
                                                  : fmt::format("{} B", bytes);
  return ways * line == bytes ? size + ", fully associative" : fmt::format("{}, {} ways", size, ways);
}

}  // namespace tallcache
