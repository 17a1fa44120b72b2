#include "common/cache/parallel_misses.hpp"

#include <algorithm>
#include <cmath>

#include "common/ops/stencil.hpp"

namespace tallcache::cache {
namespace {

double size_of(const Shape& shape, std::string_view name) { return static_cast<double>(shape[name]); }

// A segment has at least one step, here and below.
Prediction product(IdealCache cache, const Shape& shape, double segments) {
  const auto [m, n, k] = product_sizes(shape);
  const double work = m * n * k, s = std::min(segments, work), w = work / s;
  return {s * (w / (cache.L * std::sqrt(cache.Z)) + std::pow(w, 2.0 / 3) / cache.L + std::cbrt(w)),
          "mnk/(L sqrt Z) + S^(1/3) (mnk)^(2/3)/L + S^(2/3) (mnk)^(1/3)", true};
}

Prediction transposition(IdealCache cache, const Shape& shape, double segments) {
  const double elements = size_of(shape, "m") * size_of(shape, "n"), s = std::min(segments, elements);
  return {elements / cache.L + std::sqrt(s * elements), "mn/L + sqrt(S mn)", true};
}

Prediction stencil(IdealCache cache, const Shape& shape, double segments) {
  const double work =
      size_of(shape, "cols") * size_of(shape, "rows") * size_of(shape, "planes") * size_of(shape, "steps");
  const int d = Stencil<double>::dimensions(shape);
  const double s = std::min(segments, work), w = work / s;
  return {s * (w / (cache.L * std::pow(cache.Z, 1.0 / d)) + std::pow(w, d / (d + 1.0)) / cache.L +
               std::pow(w, (d - 1) / (d + 1.0))),
          "NT/(L Z^(1/d)) + S^(1/(d+1)) (NT)^(d/(d+1))/L + S^(2/(d+1)) (NT)^((d-1)/(d+1))", true};
}

struct SegmentFormula {
  std::string_view operation, variant;
  Prediction (*misses)(IdealCache, const Shape&, double segments);
};

constexpr SegmentFormula formulas[] = {{"matmul", "recursive", product},
                                       {"transpose", "recursive", transposition},
                                       {"stencil", "trapezoids", stencil}};

}  // namespace

Prediction stolen_misses(IdealCache cache, double processors, double span) {
  return {cache.Z / cache.L * processors * span, "(Z/L) P T_inf", true};
}

Prediction misses_of_steals(IdealCache cache, double steals) {
  return {2 * cache.Z / cache.L * steals, "2 (Z/L) steals"};
}

std::optional<Prediction> misses_of_segments(std::string_view operation, std::string_view variant,
                                             const Shape& shape, IdealCache cache, double segments) {
  for (const SegmentFormula& formula : formulas)
    if (formula.operation == operation && formula.variant == variant)
      return formula.misses(cache, shape, segments);
  return {};
}

}  // namespace tallcache::cache
