// The records from which bench/report/falls.hpp tells where variants fall off the caches.
#pragma once

#include <span>
#include <vector>

#include "bench/misses/misses.hpp"
#include "bench/report/document.hpp"

namespace tallcache {

/// From 1/16 of the problem's sizes to the sizes themselves, four rungs to a factor of 2. Throws Error when
/// the problem is too small for one.
std::vector<Shape> falls_ladder(const Problem&);

/// Traces every rung at all cache sizes, and times it, verified and interleaved: adds time and, in ideal
/// caches of the sizes of `levels`, misses to the document's records.
void measure_falls(const Problem&, std::span<const Candidate>, std::span<const cache::CacheLevel> levels,
                   std::span<const Shape> ladder, Document&);

}  // namespace tallcache
