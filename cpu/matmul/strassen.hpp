// Strassen's product (1969): seven products of half the size in place of eight. Work Theta(n^lg 7), span
// Theta(lg^2 n) down to the cut-over where all levels run their products side by side.
//
// Sizes that are not divisible by 2^levels are padded with zeros, once, at the top: at most 2^levels - 1 rows
// or columns, one part in `cutover` of them. (Peeling off odd rows and columns needs no memory, but its
// products of a matrix and a vector have a span of Theta(n).)
//
// The error grows with the levels, normwise as n^lg 12 against n^2, and has no bound element by element
// (Higham 2002, 23.2.2): its error class is normwise. On the random inputs of the check, whose elements are
// of one magnitude, the product stays within the bound of k products while a leaf has at least 8 elements a
// side. Leaves of one element did not: 73 x 22 x 47 in float failed. Integers need room for sums of
// 2^levels elements of each factor.
#pragma once

#include <array>

#include "cpu/matmul/recursive.hpp"

namespace tallcache::cpu::matmul {

/// The factors +1, -1 or 0 of the quadrants 11, 12, 21, 22 of A and of B in one of the products, and of this
/// product in the quadrants of C.
struct StrassenProduct {
  std::array<int, 4> a, b, c;
};

inline constexpr StrassenProduct strassen_products[] = {
    {{1, 0, 0, 1}, {1, 0, 0, 1}, {1, 0, 0, 1}},  {{0, 0, 1, 1}, {1, 0, 0, 0}, {0, 0, 1, -1}},
    {{1, 0, 0, 0}, {0, 1, 0, -1}, {0, 1, 0, 1}}, {{0, 0, 0, 1}, {-1, 0, 1, 0}, {1, 0, 1, 0}},
    {{1, 1, 0, 0}, {0, 0, 0, 1}, {-1, 1, 0, 0}}, {{-1, 0, 1, 0}, {1, 1, 0, 0}, {0, 0, 0, 1}},
    {{0, 1, 0, -1}, {0, 0, 1, 1}, {1, 0, 0, 0}},
};

template <class M>
std::array<M, 4> quadrants(M x) {
  const auto [top, bottom] = halve_rows(x);
  const auto [x11, x12] = halve_cols(top);
  const auto [x21, x22] = halve_cols(bottom);
  return {x11, x12, x21, x22};
}

/// C = A, and C += sign A, in parallel blocks.
template <class Fork, class T, class Access>
void rec_copy(Fork& fork, MatrixView<T, Access> c, ConstantMatrix<T, Access> a, Index base) {
  rec_blocks(
      fork, base,
      [](auto out, auto in) {
        for (Index i = 0; i < out.rows; ++i)
          for (Index j = 0; j < out.cols; ++j) out(i, j) = in(i, j);
      },
      c, a);
}
template <class Fork, class T, class Access>
void rec_add_signed(Fork& fork, MatrixView<T, Access> c, int sign, ConstantMatrix<T, Access> a, Index base) {
  rec_blocks(
      fork, base,
      [sign](auto out, auto in) {
        for (Index i = 0; i < out.rows; ++i)
          for (Index j = 0; j < out.cols; ++j) {
            const T x = in(i, j);
            out(i, j) += sign < 0 ? -x : x;
          }
      },
      c, a);
}

/// The division of a product of m x k by k x n: `levels` levels of Strassen's, of which the outermost
/// `parallel_levels` run their seven products in parallel, each with memory of its own.
struct StrassenPlan {
  Index m, n, k, levels, parallel_levels, cutover, base;

  StrassenPlan half() const {
    return {m / 2, n / 2, k / 2, levels - 1, std::max<Index>(parallel_levels - 1, 0), cutover, base};
  }
  /// The elements of the sums of quadrants and of one product, without the levels below.
  Index sums() const { return m / 2 * (k / 2) + k / 2 * (n / 2) + m / 2 * (n / 2); }
  /// The elements of scratch of one of the seven products.
  Index product_memory() const { return sums() + half().memory(); }
  /// The elements of scratch in all.
  Index memory() const { return levels == 0 ? 0 : (parallel_levels > 0 ? 7 : 1) * product_memory(); }
};

/// C += A B. The sizes are those of `plan`, divisible by 2^levels; `memory` has plan.memory() elements.
template <class Fork, class C, class A, class B, class Memory>
void strassen_product(Fork& fork, const StrassenPlan& plan, C c, A a, B b, Memory memory) {
  if (plan.levels == 0) return rec_mult(fork, c, a, b, plan.base);
  const auto as = quadrants(a);
  const auto bs = quadrants(b);
  const auto cs = quadrants(c);
  const Index m = plan.m / 2, n = plan.n / 2, k = plan.k / 2, size = plan.product_memory();
  const auto matrix = [](Memory at, Index rows, Index cols) {
    return C(MatrixView<typename C::value_type>{at.data, rows, cols, cols}.with(at.access()));
  };
  const auto memory_of = [&](Index p) { return memory.block(plan.parallel_levels > 0 ? p * size : 0, size); };
  const auto product_of = [&](Index p) { return matrix(memory_of(p), m, n); };

  // A single quadrant is used without a copy.
  const auto sum_of = [&](const auto& quadrant, const std::array<int, 4>& factors, const C& sum) {
    using M = MatrixView<const typename C::value_type, typename Memory::access_type>;
    if (std::ranges::count(factors, 0) == 3)
      return M(quadrant[std::ranges::find(factors, 1) - factors.begin()]);
    rec_zero(fork, sum, plan.base);
    for (std::size_t q = 0; q < 4; ++q)
      if (factors[q] != 0) rec_add_signed(fork, sum, factors[q], quadrant[q], plan.base);
    return M(sum);
  };
  const auto multiply = [&](Index p) {
    const StrassenProduct& factors = strassen_products[p];
    const Memory own = memory_of(p);
    const C product = product_of(p);
    const auto s = sum_of(as, factors.a, matrix(own.block(m * n, m * k), m, k));
    const auto t = sum_of(bs, factors.b, matrix(own.block(m * n + m * k, k * n), k, n));
    rec_zero(fork, product, plan.base);
    strassen_product(fork, plan.half(), product, s, t, own.block(plan.sums(), plan.half().memory()));
  };
  const auto add_to_c = [&](Index p) {
    for (std::size_t q = 0; q < 4; ++q)
      if (const int factor = strassen_products[p].c[q])
        rec_add_signed(fork, cs[q], factor, product_of(p), plan.base);
  };

  if (plan.parallel_levels > 0) fork.loop(0, 7, 1, multiply);
  for (Index p = 0; p < 7; ++p) {
    if (plan.parallel_levels == 0) multiply(p);
    add_to_c(p);
  }
}

struct strassen {
  static constexpr std::string_view idea =
      "Strassen's seven products of halves, REC-MULT below the cut-over; padded with zeros";
  static constexpr std::string_view source = "M11; Strassen 1969";
  using operations = OperationList<Matmul<double>, Matmul<float>, Matmul<std::int32_t>>;
  static constexpr ParamSpec params[] = {
      {"cutover", 128, "a product with a dimension up to this is REC-MULT's", 8},
      {"base", 64, "a product of REC-MULT's, or a sum, with no larger dimension is a leaf"},
      {"parallel_levels", 1, "levels whose products run side by side; the memory is some 7/4 of it for each",
       0}};
  static constexpr bool parallel = true;
  static constexpr double ns_per_unit = 0.25;
  static constexpr ErrorClass error_class = ErrorClass::normwise;

  template <class T>
  static std::size_t scratch(Matmul<T>, const Shape& shape, const Params& params) {
    const Index m = shape["m"], n = shape["n"], k = shape["k"];
    const StrassenPlan plan = plan_of(m, n, k, params);
    const auto bytes = [](Index rows, Index cols) { return matrix_bytes<T>(rows, cols, 0); };
    std::size_t padded = 0;
    if (is_padded(plan, m, n, k))
      padded = scratch_bytes({bytes(plan.m, plan.n), bytes(plan.m, plan.k), bytes(plan.k, plan.n)});
    return scratch_bytes({padded, bytes(plan.memory(), 1)});
  }

  template <class Fork, class Args>
  static void run(Fork& fork, const Args& args, const Params& params) {
    const auto& [c, a, b, _] = args;
    using T = typename std::remove_cvref_t<decltype(c)>::value_type;
    auto scratch = args.scratch;
    const StrassenPlan plan = plan_of(c.rows, c.cols, a.cols, params);
    const Index base = plan.base;
    if (!is_padded(plan, c.rows, c.cols, a.cols)) {
      rec_zero(fork, c, base);
      return strassen_product(fork, plan, c, a, b, scratch.template vector<T>(plan.memory()));
    }
    const auto padded = [&](auto x, Index rows, Index cols) {
      const auto with_zeros = scratch.template matrix<T>(rows, cols);
      rec_zero(fork, with_zeros, base);
      rec_copy(fork, with_zeros.block(0, 0, x.rows, x.cols), x, base);
      return with_zeros;
    };
    const auto c_padded = scratch.template matrix<T>(plan.m, plan.n);
    rec_zero(fork, c_padded, base);
    const auto a_padded = padded(a, plan.m, plan.k);
    const auto b_padded = padded(b, plan.k, plan.n);
    strassen_product(fork, plan, c_padded, a_padded, b_padded, scratch.template vector<T>(plan.memory()));
    rec_copy(fork, c, c_padded.block(0, 0, c.rows, c.cols), base);
  }

 private:
  static StrassenPlan plan_of(Index m, Index n, Index k, const Params& params) {
    Index levels = 0;
    for (Index min = std::min({m, n, k}); min > params["cutover"]; min -= min / 2) ++levels;
    const auto padded = [levels](Index size) { return (((size - 1) >> levels) + 1) << levels; };
    return {padded(m),         padded(n),     padded(k), levels, params["parallel_levels"],
            params["cutover"], params["base"]};
  }
  static bool is_padded(const StrassenPlan& plan, Index m, Index n, Index k) {
    return plan.m != m || plan.n != n || plan.k != k;
  }
};

}  // namespace tallcache::cpu::matmul
