#include "bench/studies/misses/theory.hpp"

#include <algorithm>
#include <cmath>

namespace tallcache {
namespace {

struct Cache {
  double Z, L;
};

// The rows of A and of C are scanned once in the outer loop, so that only B has to stay in the cache.
bool stays(Cache c, double n, double k) { return k * n + k + n <= c.Z; }

// C (m x n) = A (m x k) B (k x n) as three nested loops, k innermost. The slides assume that neither a row
// nor a column stays in the cache. Where they do, there are fewer misses.
Prediction product(Cache c, double m, double n, double k) {
  if (stays(c, n, k)) return {(m * n + m * k + k * n) / c.L, "(mn + mk + kn)/L: B fits", false};
  if (k * c.L + k <= c.Z)
    return {(m * n + m * k + m * n * k) / c.L, "(mn + mk + mnk)/L: a column fits, kL + k <= Z", false};
  return {m * n / c.L + m * n * k / c.L + m * n * k, "mn/L + mnk/L + mnk: a column does not fit", false};
}

// The same with the second factor already transposed.
Prediction product_of_rows(Cache c, double m, double n, double k) {
  if (stays(c, n, k)) return {(m * n + m * k + k * n) / c.L, "(mn + mk + kn)/L: B^T fits", false};
  if (2 * k <= c.Z) return {(m * n + m * k + m * n * k) / c.L, "(mn + mk + mnk)/L: two rows fit", false};
  return {m * n / c.L + 2 * m * n * k / c.L, "mn/L + 2 mnk/L", false};
}

// One matrix is scanned along rows of `row` elements, the other down columns of `row` lines.
Prediction transposition(Cache c, double elements, double row) {
  if (2 * elements <= c.Z || row * c.L + row <= c.Z)
    return {2 * elements / c.L, "2 mn/L: a line of each row fits", false};
  return {elements / c.L + elements, "mn/L + mn: a line of each row does not fit", false};
}

Prediction operator+(const Prediction& a, const Prediction& b) {
  return {a.misses + b.misses, a.formula + " + " + b.formula, a.order || b.order};
}

/// The loops over tiles: each tile product has the misses of its own matrices.
template <class Inner>
Prediction tiles(Cache c, double m, double n, double k, const Params& params, Inner inner) {
  const Prediction whole = inner(c, m, n, k);
  if (stays(c, n, k)) return whole;
  const double tm = std::min<double>(m, params["tile_m"]), tn = std::min<double>(n, params["tile_n"]),
               tk = std::min<double>(k, params["tile_k"]), steps = m / tm * (n / tn) * (k / tk);
  const Prediction one = inner(c, tm, tn, tk);
  if (stays(c, tn, tk)) return {steps * one.misses, "3 n^3/(bL): a tile fits", false};
  return {steps * one.misses, "mnk/b^3 tiles that do not fit, each " + one.formula, false};
}

// The cache-oblivious product does not care how B is stored.
Prediction recursive_product(Cache c, double m, double n, double k) {
  return {m + n + k + (m * n + n * k + m * k) / c.L + m * n * k / (c.L * std::sqrt(c.Z)),
          "Theta(m + n + k + (mn + nk + mk)/L + mnk/(L sqrt Z))", true};
}

// The rows of B^T are given.
std::optional<Prediction> matmul_bt(std::string_view name, const Shape& s, const Params& params, Cache c) {
  const double m = static_cast<double>(s["m"]), n = static_cast<double>(s["n"]),
               k = static_cast<double>(s["k"]);
  if (name == "naive") return product_of_rows(c, m, n, k);
  if (name == "tiled") return tiles(c, m, n, k, params, product_of_rows);
  if (name == "recursive") return recursive_product(c, m, n, k);
  return {};
}

std::optional<Prediction> matmul(std::string_view name, const Shape& s, const Params& params, Cache c) {
  const double m = static_cast<double>(s["m"]), n = static_cast<double>(s["n"]),
               k = static_cast<double>(s["k"]);
  if (name == "naive") return product(c, m, n, k);
  if (name == "tiled") return tiles(c, m, n, k, params, product);
  if (name == "recursive") return recursive_product(c, m, n, k);
  if (name != "transposed" && name != "transposed_tiled") return {};
  if (m * n + m * k + 2 * k * n <= c.Z)
    return Prediction{(m * n + m * k + 2 * k * n) / c.L, "(mn + mk + 2 kn)/L: all fits", false};
  Prediction copy = transposition(c, k * n, n);
  copy.formula = "B^T: " + copy.formula;
  if (name == "transposed") return product_of_rows(c, m, n, k) + copy;
  return tiles(c, m, n, k, params, product_of_rows) + copy;
}

std::optional<Prediction> transpose(std::string_view name, const Shape& s, const Params& params, Cache c) {
  const double m = static_cast<double>(s["m"]), n = static_cast<double>(s["n"]);
  if (name == "naive") return transposition(c, m * n, n);
  if (name == "naive_columns") return transposition(c, m * n, m);
  if (name == "tiled") return transposition(c, m * n, std::min<double>(n, params["tile"]));
  if (name == "recursive") return Prediction{1 + m * n / c.L, "Theta(1 + mn/L)", true};
  return {};
}

// With a payload, the placing pass reads and writes one more word for each key.
Prediction counting(Cache c, double n, double k, double payload) {
  const double arrays = 2 + 2 * payload;
  if (arrays * n + k <= c.Z)
    return {(arrays * n + k) / c.L, payload ? "(4n + k)/L: all fits" : "(2n + k)/L: all fits", false};
  if (k <= c.Z)
    return {(1 + payload) * n + (2 + payload) * n / c.L + k / c.L,
            payload ? "2n + 3n/L + k/L: the counts fit" : "n + 2n/L + k/L: the counts fit", false};
  return {(3 + payload) * n + (3 + payload) * n / c.L + 2 * k / c.L,
          payload ? "4n + 4n/L + 2k/L (worst case)" : "3n + 3n/L + 2k/L (worst case)", false};
}

std::optional<Prediction> counting_sort(std::string_view name, const Shape& s, const Params& params, Cache c,
                                        double payload) {
  const double n = static_cast<double>(s["n"]), k = static_cast<double>(s["range"]) + 1;
  if (name == "classical") return counting(c, n, k, payload);
  if (name != "bucketed") return {};
  const double m = static_cast<double>(params["buckets"]), passes = 1 + payload / 3;
  if (2 * n / m * (1 + payload) + k / m > c.Z || m * c.L * (1 + payload) + m > c.Z) return {};
  return Prediction{9 * n * passes / c.L + 3 * m / c.L + m * (1 + payload) + 2 * k / c.L,
                    payload ? "12n/L + 3m/L + 2m + 2k/L" : "9n/L + 3m/L + m + 2k/L", false};
}

}  // namespace

std::optional<Prediction> predicted_misses(const Variant& variant, const Shape& shape, const Params& params,
                                           double cache_words, double line_words) {
  const Cache cache{cache_words, line_words};
  const std::string_view operation = variant.operation->name;
  if (variant.peer || variant.backend != "cpu") return {};
  if (operation == "matmul") return matmul(variant.name, shape, params, cache);
  if (operation == "matmul_bt") return matmul_bt(variant.name, shape, params, cache);
  if (operation == "transpose") return transpose(variant.name, shape, params, cache);
  if (operation == "counting_sort")
    return counting_sort(variant.name, shape, params, cache,
                         variant.operation->element == "uint32_pair" ? 1 : 0);
  if (operation == "copy" && variant.name == "rows")
    return Prediction{2.0 * static_cast<double>(shape["m"]) * static_cast<double>(shape["n"]) / line_words,
                      "2 mn/L", false};
  return {};
}

std::size_t word_bytes(const Operation& operation) { return find_element(operation.element).word_bytes; }

Work work_of(const Operation& operation, const Shape& shape) {
  const Cost cost = operation.cost(shape);
  if (cost.flops > 0) return {cost.flops, "flop"};
  if (cost.keys > 0) return {cost.keys, "key"};
  // A move reads and writes each element once.
  return {cost.bytes / (2.0 * static_cast<double>(word_bytes(operation))), "element"};
}

}  // namespace tallcache
