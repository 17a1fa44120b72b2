// The records from which bench/studies/misses/cliffs_report.hpp finds the capacity cliffs.
#pragma once

#include <span>
#include <vector>

#include "bench/measure/misses.hpp"
#include "bench/results/document.hpp"

namespace tallcache {

/// The sweep of sizes from 1/16 of the problem's sizes to the sizes themselves, four points to a factor of 2.
/// Throws Error when the problem is too small for one.
std::vector<Shape> cliff_sweep(const Problem&);

/// Traces every point at all cache sizes, and times it, verified and interleaved. Adds to the document's
/// records the time and the misses in ideal caches of the sizes of `levels`.
void measure_cliffs(const Problem&, std::span<const Candidate>, std::span<const cache::CacheLevel> levels,
                    std::span<const Shape> sweep, Document&);

}  // namespace tallcache
