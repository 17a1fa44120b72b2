// REC-MULT (Frigo, Leiserson, Prokop, Ramachandran 1999): halve the largest of the three dimensions. It has
// no cache parameter and incurs Theta(m + n + k + (mn + mk + kn)/L + mnk/(L sqrt Z)) misses in any cache.
#pragma once

#include <algorithm>

#include "common/cache/ideal_misses.hpp"
#include "common/fork/fork.hpp"
#include "common/variant.hpp"
#include "cpu/matmul/second_factor.hpp"

namespace tallcache::cpu::matmul {

/// C += sign A B with the innermost loop along the rows of B and C.
template <int sign = 1, class C, class A, class B>
void multiply_leaf(C c, A a, B b) {
  for (Index i = 0; i < c.rows; ++i)
    for (Index k = 0; k < a.cols; ++k) {
      const typename A::value_type aik = sign * a(i, k);
      for (Index j = 0; j < c.cols; ++j) c(i, j) += aik * b(k, j);
    }
}

/// The same with a column-major B: the innermost loop runs along the rows of A and the columns of B.
template <int sign = 1, class C, class A, class T, class Access>
void multiply_leaf(C c, A a, TransposedView<T, Access> b) {
  for (Index i = 0; i < c.rows; ++i)
    for (Index j = 0; j < c.cols; ++j) {
      typename A::value_type sum{};
      for (Index k = 0; k < a.cols; ++k) sum += a(i, k) * b(k, j);
      c(i, j) += sign * sum;
    }
}

/// rec_mult() for a B that is a matrix or the transpose of one.
template <int sign, class Fork, class T, class Access, class B>
void rec_mult_by(Fork& fork, MatrixView<T, Access> c, MatrixView<const T, Access> a, B b, Index base) {
  const Index m = c.rows, k = a.cols, n = c.cols;
  if (m == 0 || k == 0 || n == 0) return;
  const auto product = [&fork, base](auto... part) { rec_mult_by<sign>(fork, part..., base); };
  if (std::max({m, k, n}) <= base) {
    multiply_leaf<sign>(c, a, b);
  } else if (m >= std::max(k, n)) {
    const auto [c1, c2] = halve_rows(c);
    const auto [a1, a2] = halve_rows(a);
    fork(Part(product, c1, a1, b), Part(product, c2, a2, b));
  } else if (k >= n) {
    const auto [a1, a2] = halve_cols(a);
    const auto [b1, b2] = halve_rows(b);
    fork.adding(Part(product, c, a1, b1), Part(product, c, a2, b2));
  } else {
    const auto [b1, b2] = halve_cols(b);
    const auto [c1, c2] = halve_cols(c);
    fork(Part(product, c1, a, b1), Part(product, c2, a, b2));
  }
}

/// C += sign A B, where C is m x n, A m x k, B k x n; sizes that do not fit are undefined behaviour. A
/// product with no dimension above `base` is a leaf. base >= 1. Throws what the fork policy throws.
///
/// Source: REC-MULT (Frigo, Leiserson, Prokop, Ramachandran 1999, section 3; Moreno Maza, M7).
template <int sign = 1, class Fork, class T, class Access>
void rec_mult(Fork& fork, MatrixView<T, Access> c, ConstantMatrix<T, Access> a, ConstantMatrix<T, Access> b,
              Index base) {
  rec_mult_by<sign>(fork, c, a, b, base);
}

/// Calls leaf(x...) on blocks that cover the matrices `x`, all of one size, which are halved together until
/// no dimension is above `base`. base >= 1.
template <class Fork, class Leaf, class First, class... Others>
void rec_blocks(Fork& fork, Index base, const Leaf& leaf, First first, Others... others) {
  if (first.rows == 0 || first.cols == 0) return;
  if (std::max(first.rows, first.cols) <= base) return leaf(first, others...);
  const auto half = [rows = first.rows >= first.cols](auto x, bool second) {
    const auto [a, b] = rows ? halve_rows(x) : halve_cols(x);
    return second ? b : a;
  };
  const auto blocks = [&fork, base, &leaf](auto... part) { rec_blocks(fork, base, leaf, part...); };
  fork(Part(blocks, half(first, false), half(others, false)...),
       Part(blocks, half(first, true), half(others, true)...));
}

/// C = 0.
template <class Fork, class C>
void rec_zero(Fork& fork, C c, Index base) {
  rec_blocks(
      fork, base, [](C block) { zero(block); }, c);
}

struct recursive {
  static constexpr std::string_view idea = "REC-MULT: halve the largest of the three dimensions";
  static constexpr std::string_view source = "M7: A cache-oblivious matrix multiplication algorithm";
  using operations = OperationList<Matmul<double>, Matmul<float>, Matmul<std::int32_t>, MatmulBt<double>,
                                   MatmulBt<float>, MatmulBt<std::int32_t>>;
  static constexpr ParamSpec params[] = {{"base", 64, "a product with no larger dimension is a leaf"}};
  static constexpr bool parallel = true;
  static constexpr double ns_per_unit = 0.25;

  /// M7: A cache-oblivious matrix multiplication algorithm.
  template <class Op>
  static cache::Prediction predicted_misses(Op, const Shape& shape, const Params&, cache::IdealCache ideal) {
    return recursive_product_misses(ideal, cache::product_sizes(shape));
  }

  template <class Fork, class Args>
  static void run(Fork& fork, const Args& args, const Params& params) {
    rec_zero(fork, args.c, params["base"]);
    rec_mult_by<1>(fork, args.c, args.a, second_factor(args), params["base"]);
  }
};

}  // namespace tallcache::cpu::matmul
