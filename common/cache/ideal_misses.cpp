#include "common/cache/ideal_misses.hpp"

#include <algorithm>
#include <cmath>

namespace tallcache::cache {
namespace {

// The rows of A and of C are scanned once in the outer loop, so that only B has to stay in the cache.
bool stays(IdealCache c, ProductSizes s) { return s.k * s.n + s.k + s.n <= c.Z; }

}  // namespace

Prediction operator+(const Prediction& a, const Prediction& b) {
  return {a.misses + b.misses, a.formula + " + " + b.formula, a.order || b.order};
}

ProductSizes product_sizes(const Shape& shape) {
  return {static_cast<double>(shape["m"]), static_cast<double>(shape["n"]), static_cast<double>(shape["k"])};
}

Prediction product_misses(IdealCache c, ProductSizes s) {
  const auto [m, n, k] = s;
  if (stays(c, s)) return {(m * n + m * k + k * n) / c.L, "(mn + mk + kn)/L: B fits"};
  if (k * c.L + k <= c.Z)
    return {(m * n + m * k + m * n * k) / c.L, "(mn + mk + mnk)/L: a column fits, kL + k <= Z"};
  return {m * n / c.L + m * n * k / c.L + m * n * k, "mn/L + mnk/L + mnk: a column does not fit"};
}

Prediction product_of_rows_misses(IdealCache c, ProductSizes s) {
  const auto [m, n, k] = s;
  if (stays(c, s)) return {(m * n + m * k + k * n) / c.L, "(mn + mk + kn)/L: B^T fits"};
  if (2 * k <= c.Z) return {(m * n + m * k + m * n * k) / c.L, "(mn + mk + mnk)/L: two rows fit"};
  return {m * n / c.L + 2 * m * n * k / c.L, "mn/L + 2 mnk/L"};
}

Prediction tiled_product_misses(IdealCache c, ProductSizes s, const Params& tile,
                                Prediction (*inner)(IdealCache, ProductSizes)) {
  if (stays(c, s)) return inner(c, s);
  const ProductSizes t{std::min<double>(s.m, tile["tile_m"]), std::min<double>(s.n, tile["tile_n"]),
                       std::min<double>(s.k, tile["tile_k"])};
  const double steps = s.m / t.m * (s.n / t.n) * (s.k / t.k);
  const Prediction one = inner(c, t);
  if (stays(c, t)) return {steps * one.misses, "3 n^3/(bL): a tile fits"};
  return {steps * one.misses, "mnk/b^3 tiles that do not fit, each " + one.formula};
}

Prediction transposed_product_misses(IdealCache c, ProductSizes s, const Prediction& product) {
  const auto [m, n, k] = s;
  if (m * n + m * k + 2 * k * n <= c.Z)
    return {(m * n + m * k + 2 * k * n) / c.L, "(mn + mk + 2 kn)/L: all fits"};
  Prediction copy = transposition_misses(c, k * n, n);
  copy.formula = "B^T: " + copy.formula;
  return product + copy;
}

Prediction recursive_product_misses(IdealCache c, ProductSizes s) {
  const auto [m, n, k] = s;
  return {m + n + k + (m * n + n * k + m * k) / c.L + m * n * k / (c.L * std::sqrt(c.Z)),
          "Theta(m + n + k + (mn + nk + mk)/L + mnk/(L sqrt Z))", true};
}

Prediction transposition_misses(IdealCache c, double elements, double row) {
  if (2 * elements <= c.Z || row * c.L + row <= c.Z)
    return {2 * elements / c.L, "2 mn/L: a line of each row fits"};
  return {elements / c.L + elements, "mn/L + mn: a line of each row does not fit"};
}

Prediction counting_misses(IdealCache c, double n, double k, bool payload) {
  const double words = payload ? 1 : 0, arrays = 2 + 2 * words;
  if (arrays * n + k <= c.Z)
    return {(arrays * n + k) / c.L, payload ? "(4n + k)/L: all fits" : "(2n + k)/L: all fits"};
  if (k <= c.Z)
    return {(1 + words) * n + (2 + words) * n / c.L + k / c.L,
            payload ? "2n + 3n/L + k/L: the counts fit" : "n + 2n/L + k/L: the counts fit"};
  return {(3 + words) * n + (3 + words) * n / c.L + 2 * k / c.L,
          payload ? "4n + 4n/L + 2k/L (worst case)" : "3n + 3n/L + 2k/L (worst case)"};
}

Prediction merge_sort_misses(IdealCache c, double n) {
  return {1 + n / c.L * (1 + std::max(0.0, std::log2(n / c.Z))), "Theta(1 + n/L (1 + lg(n/Z)))", true};
}

Prediction optimal_sort_misses(IdealCache c, double n) {
  return {1 + n / c.L * (1 + std::max(0.0, std::log2(n) / std::log2(c.Z))), "Theta(1 + n/L (1 + log_Z n))",
          true};
}

Prediction distribution_misses(IdealCache c, double n, double parts) {
  return {1 + n / c.L * (1 + std::ceil(std::max(0.0, std::log(n / c.Z) / std::log(parts)))),
          "Theta(1 + n/L (1 + log_parts(n/Z)))", true};
}

}  // namespace tallcache::cache
