// Triangular systems with many right-hand sides, in place, with the product as their engine: op(A) X = B and
// X op(A) = B for either triangle, as BLAS's trsm. The triangle is halved: a half, a product, the other half.
// A leaf multiplies by the inverse of a small triangle, so that it is a product too (Du Croz, Higham,
// "Stability of methods for matrix inversion", 1992, for its errors).
//
// The steps of a triangle follow one another, right-hand sides do not. So a few leaves' triangles are
// inverted at once, and then the right-hand sides are cut into strands, each of which goes through all of
// these leaves by itself: threads meet once for so many leaves, and not for each.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "cpu/lu/one_sided.hpp"

namespace tallcache::cpu::lu {

/// The most leaves that are inverted at once. Right-hand sides that a strand has at least.
inline constexpr Index leaves_at_once = 8, least_strand = 64;

/// What triangular systems need beside their matrices. Without memory, all null, they are solved by single
/// elements and by products that pack nothing ahead.
template <class T, class Access>
struct SolveMemory {
  MatrixView<T, Access> inverse, transposed;  ///< of the leaves' triangles, one below the other
  VectorView<T, Access> copy;                 ///< of a leaf's part of B
  Scratch<Access> product;

  /// For B with up to `others` right-hand sides; `product` bytes are for the products.
  static std::size_t bytes(Index others, std::size_t product) {
    const Index side = inverted_side<T>();
    const auto squares = static_cast<std::size_t>(leaves_at_once * side * odd_lines<T>(side)) * sizeof(T);
    return scratch_bytes({squares, squares, checked_product(copied(others), sizeof(T), "copy"), product});
  }

  static SolveMemory take(Scratch<Access>& scratch, Index others) {
    const Index side = inverted_side<T>(), ld = odd_lines<T>(side);
    SolveMemory memory;
    memory.inverse = scratch.template matrix<T>(leaves_at_once * side, ld);
    memory.transposed = scratch.template matrix<T>(leaves_at_once * side, ld);
    memory.copy = scratch.template vector<T>(copied(others));
    memory.product = scratch;
    return memory;
  }

  /// That of a strand of `size` right-hand sides from `begin` on. Its products pack in their leaves.
  SolveMemory of_strand(Index strand, Index begin, Index size) const {
    return {inverse, transposed, copy.block(copied(begin, strand), copied(size, 1)), {}};
  }

 private:
  /// The elements of the leaves' parts of B in so many strands, whose right-hand sides are rows, or columns
  /// of which odd_lines() has up to two lines more.
  static Index copied(Index others, Index strands) {
    return (others + strands * 2 * odd_lines<T>(1)) * odd_lines<T>(inverted_side<T>());
  }
  static Index copied(Index others) { return copied(others, std::max<Index>(1, others / least_strand)); }
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
    const Index units = ceil_div(a.rows, inverted_side<T>());
    if (units > leaves_at_once)
      return halve(fork, a, b, units / 2,
                   [&, this](Constant half, Matrix of_half, Index) { (*this)(fork, half, of_half); });
    bool inverted[leaves_at_once];
    fork.loop(0, units, 1, [&, this](Index leaf) { inverted[leaf] = invert(a, leaf, others_of(b)); });
    const Index strands = strands_of(fork.width(), a.rows, others_of(b));
    if (strands == 1) return by_leaves(fork, a, b, inverted, 0);
    fork.blocks(strands, [&, strands, this](Index strand) { by_strand(a, b, inverted, strand, strands); });
  }

 private:
  /// Whether the first half of X does not depend on the second one, or the other way round.
  bool forwards() const { return is_lower() == (side == Side::left); }
  Index others_of(const Matrix& b) const { return side == Side::left ? b.cols : b.rows; }

  /// solve(part of A, part of B, its first unit) for both halves of the triangle, one after the other.
  template <class Fork, class Solve>
  void halve(Fork& fork, Constant a, Matrix b, Index units, const Solve& solve,
             Index unit = inverted_side<T>()) const {
    const auto [a1, a2, between, b1, b2] = Of::halves(a, b, units * unit);
    forwards() ? solve(a1, b1, 0) : solve(a2, b2, units);
    Of::multiply_on_side(fork, T{-1}, between, trans, forwards() ? b1 : b2, T{1}, forwards() ? b2 : b1,
                         memory.product);
    forwards() ? solve(a2, b2, units) : solve(a1, b1, 0);
  }

  /// Into how many strands of whole tiles so many right-hand sides are cut, each of which is worth a thread.
  static Index strands_of(Index threads, Index n, Index others) {
    const auto& kernel = matmul::register_kernel<T>();
    const Index nanoseconds = matmul::detail::nanoseconds_of(kernel, n, n, others) / 2;
    Index strands = std::clamp<Index>(others / least_strand, 1, threads);
    while (strands > 1 && matmul::detail::on_one_thread(nanoseconds / strands)) --strands;
    return strands;
  }

  void by_strand(Constant a, Matrix b, const bool* inverted, Index strand, Index strands) const {
    const Index others = others_of(b), tile = matmul::register_kernel<T>().nr, tiles = ceil_div(others, tile);
    const auto first = [=](Index of) { return std::min(others, block_begin(tiles, strands, of) * tile); };
    const Index begin = first(strand), size = first(strand + 1) - begin;
    TriangularSolve solve = *this;
    solve.memory = memory.of_strand(strand, begin, size);
    Serial serial;
    solve.by_leaves(serial, a,
                    side == Side::left ? b.block(0, begin, b.rows, size) : b.block(begin, 0, size, b.cols),
                    inverted, 0);
  }

  /// A triangle whose leaves are inverted, but for those that cannot be; its first one is number `first`.
  template <class Fork>
  void by_leaves(Fork& fork, Constant a, Matrix b, const bool* inverted, Index first) const {
    if (const Index units = ceil_div(a.rows, inverted_side<T>()); units > 1)
      return halve(fork, a, b, units / 2, [&, this](Constant half, Matrix of_half, Index unit) {
        by_leaves(fork, half, of_half, inverted, first + unit);
      });
    if (!inverted[first]) return by_elements(fork, a, b);
    const Constant inverse = leaf_of(is_lower() ? memory.inverse : memory.transposed, first);
    Of::multiply_on_side(fork, T{1}, inverse.block(0, 0, a.rows, a.rows), Trans::no,
                         Of::copied(fork, b, memory.copy), T{0}, b, memory.product);
  }

  static Matrix leaf_of(const Matrix& squares, Index leaf) {
    return squares.block(leaf * inverted_side<T>(), 0, inverted_side<T>(), squares.cols);
  }

  /// Of a few right-hand sides substitution has fewer operations than an inverse.
  static bool suits_substitution(Index n, Index others) { return n <= most_leaf_columns || others < 4; }

  template <class Fork>
  void by_elements(Fork& fork, Constant a, Matrix b) const {
    if (suits_substitution(a.rows, others_of(b))) return substitute(a, b);
    const auto solve = [&, this](Constant half, Matrix of_half, Index) { by_elements(fork, half, of_half); };
    halve(fork, a, b, ceil_div(a.rows / 2, most_leaf_columns), solve, most_leaf_columns);
  }

  /// Inverts the triangle of a leaf of op(A) where that pays and is accurate; whether it did. An upper one is
  /// inverted as the transpose of a lower one.
  bool invert(Constant matrix, Index leaf, Index others) const {
    const Index begin = leaf * inverted_side<T>(), n = std::min(inverted_side<T>(), matrix.rows - begin);
    if (suits_substitution(n, others) || !memory.inverse.data) return false;
    const Constant a = matrix.block(begin, begin, n, n);
    const Matrix inverse = leaf_of(memory.inverse, leaf), transposed = leaf_of(memory.transposed, leaf);
    CompiledApart<Access> apart(a.access());
    const auto policy = apart.policy();
    const auto& text = panel_kernel<T>().text.under(policy);
    const bool by_rows = triangle == Triangle::lower;
    if (!text.invert(inverse.data, inverse.ld, a.data, by_rows ? a.ld : 1, by_rows ? 1 : a.ld, n,
                     diagonal == Diagonal::unit, policy))
      return false;
    if (!is_lower()) text.transpose(transposed.data, inverse.ld, inverse.data, inverse.ld, n, n, policy);
    return is_well_conditioned(a, inverse);
  }

  /// By Skeel's condition number, which does not change when equations are scaled: the norm of |T^-1| |T|, or
  /// of |T| |T^-1| on the right (Skeel, "Scaling for numerical stability in Gaussian elimination", 1979).
  bool is_well_conditioned(Constant a, Constant inverse) const {
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
        norms[forwards() ? i : k] += std::abs(T(inverse(i, k))) * sums[forwards() ? k : i];
    T norm = 0;
    for (Index i = 0; i < n; ++i) norm = std::max(norm, norms[i]);
    return norm <= most_condition;
  }

  /// By single elements: of a triangle that is not inverted, and has few rows.
  void substitute(Constant a, Matrix b) const {
    const Index n = a.rows, others = others_of(b);
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
