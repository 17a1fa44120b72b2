// Levels of cache in the plan of a document.
#pragma once

#include <string>

#include "bench/results/json_fields.hpp"
#include "common/cache/geometry.hpp"

namespace tallcache {

namespace cache {
TALLCACHE_JSON_FIELDS(CacheLevel, bytes, ways, line)
}

/// "32 KiB, 8 ways"
std::string cache_text(const cache::CacheLevel&);

}  // namespace tallcache
