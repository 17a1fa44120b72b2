#include "bench/results/caches.hpp"

#include <fmt/format.h>

namespace tallcache {

std::string cache_text(const cache::CacheLevel& cache) {
  const std::size_t bytes = cache.bytes;
  const std::string size = bytes % (1 << 20) == 0 ? fmt::format("{} MiB", bytes >> 20)
                           : bytes % 1024 == 0    ? fmt::format("{} KiB", bytes >> 10)
                                                  : fmt::format("{} B", bytes);
  return cache.ways * cache.line == bytes ? size + ", fully associative"
                                          : fmt::format("{}, {} ways", size, cache.ways);
}

}  // namespace tallcache
