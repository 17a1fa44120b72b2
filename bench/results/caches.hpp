// Levels of cache in the plan of a document.
#pragma once

#include <span>
#include <string>

#include "bench/results/json.hpp"
#include "common/cache/geometry.hpp"

namespace tallcache {

/// [{"bytes", "ways", "line"}], the first level first.
Json caches_json(std::span<const cache::CacheLevel> levels);

/// "32 KiB, 8 ways", of one of these.
std::string cache_text(const Json& cache);

}  // namespace tallcache
