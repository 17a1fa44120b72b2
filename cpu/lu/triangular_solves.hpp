// Triangular systems with many right-hand sides, in place, with the product as their engine: op(A) X = B and
// X op(A) = B for either triangle, as BLAS's trsm. The triangle is halved: a half, a product, the other half.
// A leaf inverts a small triangle, so that it is a product too (Du Croz, Higham, "Stability of methods for
// matrix inversion", 1992, for its errors).
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "cpu/lu/one_sided.hpp"

namespace tallcache::cpu::lu {

/// What triangular systems need beside their matrices. Without memory, all null, they are solved by single
/// elements and by products that pack nothing ahead.
template <class T, class Access>
struct SolveMemory {
  MatrixView<T, Access> inverse, transposed;  ///< of a leaf's triangle
  VectorView<T, Access> copy;                 ///< of a leaf's part of B
  Scratch<Access> product;

  /// For B with up to `others` right-hand sides; `product` bytes are for the products.
  static std::size_t bytes(Index others, std::size_t product) {
    const Index side = inverted_side<T>();
    const auto square = static_cast<std::size_t>(side * odd_lines<T>(side)) * sizeof(T);
    return scratch_bytes({square, square, checked_product(copied(others), sizeof(T), "copy"), product});
  }

  static SolveMemory take(Scratch<Access>& scratch, Index others) {
    const Index side = inverted_side<T>(), ld = odd_lines<T>(side);
    SolveMemory memory;
    memory.inverse = scratch.template matrix<T>(side, ld);
    memory.transposed = scratch.template matrix<T>(side, ld);
    memory.copy = scratch.template vector<T>(copied(others));
    memory.product = scratch;
    return memory;
  }

 private:
  /// The elements of a leaf's part of B, whose right-hand sides are columns or rows.
  static Index copied(Index others) {
    const Index side = inverted_side<T>();
    return std::max(side * odd_lines<T>(others), others * odd_lines<T>(side));
  }
};

/// The most bytes of scratch of the products of a triangular system of n unknowns: those of its halves, and
/// of a leaf.
template <class T>
std::size_t solve_scratch(Side side, Index n, Index others) {
  const Index half = n / 2 + inverted_side<T>();
  return side == Side::left ? multiply_scratch<T>(half, others, half)
                            : multiply_scratch<T>(others, half, half);
}

/// B = op(A)^-1 B, or B op(A)^-1 on the right.
template <class T, class Access>
struct TriangularSolve : OneSided<T, Access> {
  using Of = OneSided<T, Access>;
  using Of::diagonal, Of::is_lower, Of::side, Of::trans, Of::triangle;
  using typename Of::Constant;
  using typename Of::Matrix;

  SolveMemory<T, Access> memory;
  /// A triangle of a greater condition number is not inverted, as the residual of a product with an inverse
  /// may be so many times that of a substitution.
  T most_condition = std::numeric_limits<T>::infinity();

  template <class Fork>
  void operator()(Fork& fork, Constant a, Matrix b) const {
    if (b.rows == 0 || b.cols == 0) return;
    const Index n = a.rows, units = ceil_div(n, inverted_side<T>());
    units <= 1 ? leaf(fork, a, b) : halve(fork, a, b, units / 2 * inverted_side<T>());
  }

 private:
  /// Whether the first half of X does not depend on the second one, or the other way round.
  bool forwards() const { return is_lower() == (side == Side::left); }

  template <class Fork>
  void halve(Fork& fork, Constant a, Matrix b, Index half) const {
    const auto [a1, a2, between, b1, b2] = Of::halves(a, b, half);
    (*this)(fork, forwards() ? a1 : a2, forwards() ? b1 : b2);
    Of::multiply_on_side(fork, T{-1}, between, trans, forwards() ? b1 : b2, T{1}, forwards() ? b2 : b1,
                         memory.product);
    (*this)(fork, forwards() ? a2 : a1, forwards() ? b2 : b1);
  }

  template <class Fork>
  void leaf(Fork& fork, Constant a, Matrix b) const {
    // Of a few right-hand sides substitution has fewer operations than the inverse.
    const Index others = side == Side::left ? b.cols : b.rows;
    if (a.rows <= most_leaf_columns || others < 4) return substitute(a, b);
    if (!memory.inverse.data || !invert(a) || !is_well_conditioned(a))
      return halve(fork, a, b, ceil_div(a.rows / 2, most_leaf_columns) * most_leaf_columns);
    const Matrix copy = Of::copied(fork, b, memory.copy);
    const Constant inverse = (is_lower() ? memory.inverse : memory.transposed).block(0, 0, a.rows, a.rows);
    Of::multiply_on_side(fork, T{1}, inverse, Trans::no, copy, T{0}, b, memory.product);
  }

  /// Whether the inverse of op(A) is finite. An upper triangle is inverted as the transpose of a lower one.
  bool invert(Constant a) const {
    CompiledApart<Access> apart(a.access());
    const auto policy = apart.policy();
    const auto& text = panel_kernel<T>().text.under(policy);
    const Matrix& inverse = memory.inverse;
    const bool by_rows = triangle == Triangle::lower;
    if (!text.invert(inverse.data, inverse.ld, a.data, by_rows ? a.ld : 1, by_rows ? 1 : a.ld, a.rows,
                     diagonal == Diagonal::unit, policy))
      return false;
    if (!is_lower())
      text.transpose(memory.transposed.data, inverse.ld, inverse.data, inverse.ld, a.rows, a.rows, policy);
    return true;
  }

  /// By Skeel's condition number, which does not change when equations are scaled: the norm of |T^-1| |T|, or
  /// of |T| |T^-1| on the right (Skeel, "Scaling for numerical stability in Gaussian elimination", 1979).
  bool is_well_conditioned(Constant a) const {
    if (most_condition == std::numeric_limits<T>::infinity()) return true;
    // The inverse is that of a lower triangle L, which is op(A) or its transpose.
    const Index n = a.rows;
    const auto lower = [&](Index i, Index k) {
      if (i == k && diagonal == Diagonal::unit) return T{1};
      return std::abs(T(triangle == Triangle::lower ? a(i, k) : a(k, i)));
    };
    T sums[most_inverted_side] = {}, norms[most_inverted_side] = {};
    for (Index i = 0; i < n; ++i)
      for (Index k = 0; k <= i; ++k) sums[forwards() ? i : k] += lower(i, k);
    for (Index i = 0; i < n; ++i)
      for (Index k = 0; k <= i; ++k)
        norms[forwards() ? i : k] += std::abs(T(memory.inverse(i, k))) * sums[forwards() ? k : i];
    T norm = 0;
    for (Index i = 0; i < n; ++i) norm = std::max(norm, norms[i]);
    return norm <= most_condition;
  }

  /// By single elements: of a triangle that is not inverted, and has few rows.
  void substitute(Constant a, Matrix b) const {
    const Index n = a.rows, others = side == Side::left ? b.cols : b.rows;
    // Element i of right-hand side r, and what it is multiplied by for element k.
    const auto x = [&](Index i, Index r) -> decltype(auto) { return side == Side::left ? b(i, r) : b(r, i); };
    const auto factor = [&](Index k, Index i) {
      return T((side == Side::left) == (trans == Trans::no) ? a(k, i) : a(i, k));
    };
    for (Index step = 0; step < n; ++step) {
      const Index i = forwards() ? step : n - 1 - step;
      for (Index r = 0; r < others; ++r) {
        T value = x(i, r);
        if (diagonal == Diagonal::non_unit) value /= T(a(i, i));
        x(i, r) = value;
        for (Index k = forwards() ? i + 1 : 0, end = forwards() ? n : i; k < end; ++k)
          x(k, r) -= factor(k, i) * value;
      }
    }
  }
};

}  // namespace tallcache::cpu::lu
