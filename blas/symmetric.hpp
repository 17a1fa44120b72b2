// The product with a symmetric matrix of which one triangle is stored: C = alpha A B + beta C, or B A.
//
// A is halved. The block between the halves enters twice, once as its transpose, as a gemm(). A small
// triangle is expanded to a square.
#pragma once

#include "blas/forks.hpp"

namespace tallcache::blas {

template <class T>
struct SymmetricProduct {
  using Matrix = MatrixView<T>;
  using Constant = MatrixView<const T>;

  Side side;
  Triangle triangle;
  T alpha, beta;

  /// In row-major order.
  template <class Fork>
  void operator()(Fork& fork, Constant a, Constant b, Matrix c) const {
    const Index n = a.rows, half = n / 2, rest = n - half;
    if (n <= on_stack) return expanded_on_stack(fork, a, b, c);
    if (n <= leaf_side) {
      const Lease lease(static_cast<std::size_t>(n * n) * sizeof(T));
      Scratch<> scratch = lease.scratch();
      if (scratch.bytes_left() > 0) return expanded(fork, a, b, c, scratch.template vector<T>(n * n).data);
    }
    const Constant b1 = part(b, 0, half), b2 = part(b, half, rest);
    const Matrix c1 = part(c, 0, half), c2 = part(c, half, rest);
    fork([&] { (*this)(fork, a.block(0, 0, half, half), b1, c1); },
         [&] { (*this)(fork, a.block(half, half, rest, rest), b2, c2); });
    // The block at row 0, column 1, or its transpose at row 1, column 0.
    const bool is_upper = triangle == Triangle::upper;
    const Constant between = is_upper ? a.block(0, half, half, rest) : a.block(half, 0, rest, half);
    const Trans above = is_upper ? Trans::no : Trans::yes;
    const bool left = side == Side::left;
    fork([&] { multiply(fork, between, left ? above : other(above), b2, T{1}, c1); },
         [&] { multiply(fork, between, left ? other(above) : above, b1, T{1}, c2); });
  }

 private:
  static constexpr Index on_stack = 32, leaf_side = 256;

  template <class Element>
  MatrixView<Element> part(MatrixView<Element> x, Index first, Index size) const {
    return side == Side::left ? x.block(first, 0, size, x.cols) : x.block(0, first, x.rows, size);
  }

  /// c = alpha op(a) b + scale c, or b op(a).
  template <class Fork>
  void multiply(Fork& fork, Constant a, Trans trans, Constant b, T scale, Matrix c) const {
    const bool left = side == Side::left;
    const Trans first = left ? trans : Trans::no, second = left ? Trans::no : trans;
    const Index k = left ? b.rows : b.cols;
    const Lease lease(bytes_of([&] {
      return cpu::matmul::gemm_scratch_bytes<T>(Layout::row_major, first, second, c.rows, c.cols, k);
    }));
    cpu::matmul::detail::gemm_rows(fork, first, second, alpha, left ? a : b, left ? b : a, scale, c,
                                   lease.scratch(), {});
  }

  /// Not inlined: what it takes of the stack would be its caller's, at every level.
  template <class Fork>
  __attribute__((noinline)) void expanded_on_stack(Fork& fork, Constant a, Constant b, Matrix c) const {
    T square[on_stack * on_stack];
    expanded(fork, a, b, c, square);
  }

  template <class Fork>
  void expanded(Fork& fork, Constant a, Constant b, Matrix c, T* square) const {
    const Index n = a.rows;
    if (alpha != 0)
      for (Index i = 0; i < n; ++i)
        for (Index j = 0; j <= i; ++j)
          square[i * n + j] = square[j * n + i] = triangle == Triangle::lower ? a(i, j) : a(j, i);
    multiply(fork, Constant{square, n, n, n}, Trans::no, b, beta, c);
  }
};

}  // namespace tallcache::blas
