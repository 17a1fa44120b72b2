// The product of which one triangle is kept: C = alpha op(A) op(B) + beta C (gemmt). With op(B) = op(A)^T it
// is the symmetric rank-k update (syrk).
//
// C is halved into two triangles and the rectangle between them, which is a gemm(). At the diagonal a small
// square is computed whole, and its triangle is added.
#pragma once

#include "cpu/matmul/gemm.hpp"

namespace tallcache::cpu::matmul {

/// The triangle of C that is read and written; the diagonal belongs to both.
enum class Triangle { lower, upper };

namespace detail {

/// The side of a square that is computed whole. The work outside of the triangle is one part in n / side.
inline constexpr Index diagonal_side = 32;

/// `size` rows of op(X) from `first` on.
template <class T>
MatrixView<const T> op_rows_of(MatrixView<const T> x, Trans trans, Index first, Index size) {
  return trans == Trans::no ? x.block(first, 0, size, x.cols) : x.block(0, first, x.rows, size);
}

/// `size` columns of op(X) from `first` on.
template <class T>
MatrixView<const T> op_cols_of(MatrixView<const T> x, Trans trans, Index first, Index size) {
  return op_rows_of(x, trans == Trans::no ? Trans::yes : Trans::no, first, size);
}

template <class T, class Lease>
struct Gemmt {
  Triangle triangle;
  Trans trans_a, trans_b;
  T alpha, beta;
  const Lease& lease;

  template <class Fork>
  void operator()(Fork& fork, MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c) const {
    const Index n = c.rows, half = n / 2, rest = n - half;
    if (n <= diagonal_side) return diagonal(a, b, c);
    const auto a1 = op_rows_of(a, trans_a, 0, half), a2 = op_rows_of(a, trans_a, half, rest);
    const auto b1 = op_cols_of(b, trans_b, 0, half), b2 = op_cols_of(b, trans_b, half, rest);
    const auto triangles = [&] {
      fork([&] { (*this)(fork, a1, b1, c.block(0, 0, half, half)); },
           [&] { (*this)(fork, a2, b2, c.block(half, half, rest, rest)); });
    };
    fork(triangles, [&] {
      if (triangle == Triangle::lower)
        rectangle(fork, a2, b1, beta, c.block(half, 0, rest, half));
      else
        rectangle(fork, a1, b2, beta, c.block(0, half, half, rest));
    });
  }

 private:
  template <class Fork>
  void rectangle(Fork& fork, MatrixView<const T> a, MatrixView<const T> b, T scale, MatrixView<T> c) const {
    const Index k = trans_a == Trans::no ? a.cols : a.rows;
    const auto leased = lease(gemm_scratch_bytes<T>(Layout::row_major, trans_a, trans_b, c.rows, c.cols, k));
    gemm_rows(fork, trans_a, trans_b, alpha, a, b, scale, c, leased.scratch(), {});
  }

  void diagonal(MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c) const {
    const Index n = c.rows;
    T square[diagonal_side * diagonal_side];
    Serial serial;
    rectangle(serial, a, b, T{0}, MatrixView<T>{square, n, n, n});
    for (Index i = 0; i < n; ++i) {
      const bool is_lower = triangle == Triangle::lower;
      for (Index j = is_lower ? 0 : i, end = is_lower ? i + 1 : n; j < end; ++j)
        c(i, j) = square[i * n + j] + (beta == 0 ? T{0} : beta * c(i, j));
    }
  }
};

}  // namespace detail

/// C = alpha op(A) op(B) + beta C on one triangle of the n x n matrix C, in row-major order; the rest of C is
/// neither read nor written. lease(bytes) gives an object whose scratch() lasts as long as it does; several
/// may be held at once, by several threads. The result is the same on any number of threads.
template <class Fork, class T, class Lease>
void gemmt(Fork& fork, Triangle triangle, Trans trans_a, Trans trans_b, std::type_identity_t<T> alpha,
           std::type_identity_t<MatrixView<const T>> a, std::type_identity_t<MatrixView<const T>> b,
           std::type_identity_t<T> beta, MatrixView<T> c, const Lease& lease) {
  const detail::Gemmt<T, Lease> run{triangle, trans_a, trans_b, alpha, beta, lease};
  if (c.rows > 0) run(fork, a, b, c);
}

}  // namespace tallcache::cpu::matmul
