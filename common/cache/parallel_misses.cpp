#include "common/cache/parallel_misses.hpp"

#include <algorithm>
#include <cmath>

namespace tallcache::cache {

Prediction stolen_misses(IdealCache cache, double processors, double span) {
  return {cache.Z / cache.L * processors * span, "(Z/L) P T_inf", true};
}

Prediction misses_of_steals(IdealCache cache, double steals) {
  return {2 * cache.Z / cache.L * steals, "2 (Z/L) steals"};
}

// A segment has at least one step.
Prediction product_misses_of_segments(IdealCache cache, ProductSizes p, double segments) {
  const double work = p.m * p.n * p.k, s = std::min(segments, work), w = work / s;
  return {s * (w / (cache.L * std::sqrt(cache.Z)) + std::pow(w, 2.0 / 3) / cache.L + std::cbrt(w)),
          "mnk/(L sqrt Z) + S^(1/3) (mnk)^(2/3)/L + S^(2/3) (mnk)^(1/3)", true};
}

Prediction transposition_misses_of_segments(IdealCache cache, double elements, double segments) {
  const double s = std::min(segments, elements);
  return {elements / cache.L + std::sqrt(s * elements), "mn/L + sqrt(S mn)", true};
}

}  // namespace tallcache::cache
