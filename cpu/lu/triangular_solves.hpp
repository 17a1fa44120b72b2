// Triangular systems with many right-hand sides, in place, with the product as their engine: op(A) X = B and
// X op(A) = B for either triangle, as BLAS's trsm. The triangle is halved: a half, a product, the other half.
// A leaf inverts a small triangle, so that it is a product too (Du Croz, Higham, "Stability of methods for
// matrix inversion", 1992, for its errors).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "cpu/lu/panel_kernel.hpp"
#include "cpu/matmul/gemmt.hpp"

namespace tallcache::cpu::lu {

using matmul::Layout;
using matmul::Trans;
using matmul::Triangle;
/// Whether op(A) stands left or right of X.
enum class Side { left, right };
/// Whether the diagonal of a triangle is taken for 1, and not read.
enum class Diagonal { unit, non_unit };

/// Whether the rows of a matrix collide in a first-level cache, whose sets are those of a page.
template <class T, class Access>
constexpr bool rows_collide(const MatrixView<T, Access>& a) {
  constexpr Index page = 4096 / sizeof(T);
  return a.ld % page == 0;
}

/// From this size of the other one on a factor is packed whose rows collide. Others wait for the product's
/// own size, which is right for matrices of a good leading dimension.
inline constexpr Index small_product = 48;

/// Factors are read where they lie, whatever their size.
inline constexpr matmul::GemmSizes unpacked{.min_packed = std::numeric_limits<std::int32_t>::max()};

/// C = alpha op(A) op(B) + beta C in row-major order.
template <class Fork, class T, class Access>
void multiply(Fork& fork, std::type_identity_t<T> alpha, ConstantMatrix<T, Access> a, Trans trans_a,
              ConstantMatrix<T, Access> b, Trans trans_b, std::type_identity_t<T> beta,
              MatrixView<T, Access> c, Scratch<Access> scratch, matmul::GemmSizes sizes = {}) {
  if (c.rows == 0 || c.cols == 0 || a.rows == 0 || a.cols == 0) return;
  if (sizes.min_packed == 0 && (rows_collide(a) || rows_collide(b))) sizes.min_packed = small_product;
  matmul::detail::gemm_rows<Fork, T, Access>(fork, trans_a, trans_b, alpha, a, b, beta, c, scratch, sizes);
}

/// The most bytes of scratch of multiply() for an m x n result and an inner dimension of up to k.
template <class T>
std::size_t multiply_scratch(Index m, Index n, Index k) {
  const auto& kernel = matmul::register_kernel<T>();
  const auto bytes = [k](Index size, Index width) {
    return checked_product(checked_product(ceil_div(size, width) * width, k, "packed matrix"), sizeof(T),
                           "packed matrix");
  };
  return scratch_bytes({bytes(m, kernel.mr), bytes(n, kernel.nr)});
}

/// The side of a triangle that is inverted, a multiple of the rows of the product's tiles. A larger one does
/// more work on zeros, a smaller one has shorter products.
template <class T>
Index inverted_side() {
  return 4 * matmul::register_kernel<T>().mr;
}

/// No target's is larger.
inline constexpr Index most_inverted_side = 128;

/// So many elements are a whole number of lines, and an odd one, lest rows collide in caches.
template <class T>
constexpr Index odd_lines(Index elements) {
  constexpr Index line = 64 / sizeof(T);
  return (ceil_div(elements, line) | 1) * line;
}

/// The leading dimension of a panel of columns of `rows` elements: kernels read a vector beyond the last one.
template <class T>
constexpr Index panel_ld(Index rows) {
  return odd_lines<T>(rows + 64 / sizeof(T) - 1);
}

/// The rows of a copy that one strand makes.
inline constexpr Index copied_rows = 16;

/// `to` = `from`, row by row.
template <class T, class Access>
void copy_rows(MatrixView<T, Access> to, ConstantMatrix<T, Access> from) {
  const auto bytes = static_cast<std::size_t>(from.cols) * sizeof(T);
  if (from.cols == 0) return;
  for (Index i = 0; i < from.rows; ++i)
    std::memcpy(store_n(to.access(), to.data + i * to.ld, from.cols),
                load_n(from.access(), from.data + i * from.ld, from.cols), bytes);
}

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

/// B = op(A)^-1 B, or B op(A)^-1 on the right, for a triangle of the square A; the other triangle is not
/// read, nor is a unit diagonal.
template <class T, class Access>
struct TriangularSolve {
  using Matrix = MatrixView<T, Access>;
  using Constant = MatrixView<const T, Access>;

  Side side;
  Triangle triangle;
  Trans trans;
  Diagonal diagonal;
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
  /// Of op(A).
  bool is_lower() const { return (triangle == Triangle::lower) == (trans == Trans::no); }
  /// Whether the first half of X does not depend on the second one, or the other way round.
  bool forwards() const { return is_lower() == (side == Side::left); }

  template <class Fork>
  void halve(Fork& fork, Constant a, Matrix b, Index half) const {
    const Index rest = a.rows - half;
    const Constant a1 = a.block(0, 0, half, half), a2 = a.block(half, half, rest, rest);
    const Constant between =
        triangle == Triangle::lower ? a.block(half, 0, rest, half) : a.block(0, half, half, rest);
    const Matrix b1 = part(b, 0, half), b2 = part(b, half, rest);
    (*this)(fork, forwards() ? a1 : a2, forwards() ? b1 : b2);
    subtract(fork, between, forwards() ? b1 : b2, forwards() ? b2 : b1);
    (*this)(fork, forwards() ? a2 : a1, forwards() ? b2 : b1);
  }

  Matrix part(Matrix b, Index first, Index size) const {
    return side == Side::left ? b.block(first, 0, size, b.cols) : b.block(0, first, b.rows, size);
  }

  template <class Fork>
  void subtract(Fork& fork, Constant between, Constant x, Matrix b) const {
    if (side == Side::left)
      multiply<Fork, T, Access>(fork, T{-1}, between, trans, x, Trans::no, T{1}, b, memory.product);
    else
      multiply<Fork, T, Access>(fork, T{-1}, x, Trans::no, between, trans, T{1}, b, memory.product);
  }

  template <class Fork>
  void leaf(Fork& fork, Constant a, Matrix b) const {
    if (a.rows <= most_leaf_columns) return substitute(a, b);
    if (!memory.inverse.data || !invert(a) || !is_well_conditioned(a))
      return halve(fork, a, b, ceil_div(a.rows / 2, most_leaf_columns) * most_leaf_columns);
    const Index ld = odd_lines<T>(b.cols);
    const Matrix copy = MatrixView<T>{memory.copy.data, b.rows, b.cols, ld}.with(b.access());
    loop_blocks(fork, b.rows, copied_rows, [b, copy](Index begin, Index end) {
      copy_rows<T, Access>(copy.block(begin, 0, end - begin, b.cols), b.block(begin, 0, end - begin, b.cols));
    });
    const Constant inverse = (is_lower() ? memory.inverse : memory.transposed).block(0, 0, a.rows, a.rows);
    if (side == Side::left)
      multiply<Fork, T, Access>(fork, T{1}, inverse, Trans::no, copy, Trans::no, T{0}, b, memory.product);
    else
      multiply<Fork, T, Access>(fork, T{1}, copy, Trans::no, inverse, Trans::no, T{0}, b, memory.product);
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
