// Triangular systems with many right-hand sides, in place, for the recursive LU decompositions: halve the
// right-hand sides, which are independent, or the triangle. Span Theta(n lg n), as consecutive products of
// rec_mult have a span of Theta(n) each.
#pragma once

#include "cpu/matmul/recursive.hpp"

namespace tallcache::cpu::lu {

using matmul::rec_mult;

/// The quadrants of a matrix that is split after `split` rows and columns.
template <class M>
struct Quadrants {
  M a11, a12, a21, a22;
  Quadrants(M a, Index split)
      : a11(a.block(0, 0, split, split)),
        a12(a.block(0, split, split, a.cols - split)),
        a21(a.block(split, 0, a.rows - split, split)),
        a22(a.block(split, split, a.rows - split, a.cols - split)) {}
};

/// B = L^-1 B for the unit lower triangle L of the square `l`. Leaves have no dimension above `base` >= 1.
template <class Fork, class T, class Access>
void solve_lower(Fork& fork, ConstantMatrix<T, Access> l, MatrixView<T, Access> b, Index base) {
  if (b.cols == 0) return;
  if (std::max(b.rows, b.cols) <= base) {
    for (Index i = 1; i < b.rows; ++i)
      for (Index k = 0; k < i; ++k) {
        const T lik = l(i, k);
        for (Index j = 0; j < b.cols; ++j) b(i, j) -= lik * b(k, j);
      }
  } else if (b.cols > b.rows) {
    const auto [b1, b2] = halve_cols(b);
    const auto solve = [&fork, base](auto... part) { solve_lower(fork, part..., base); };
    fork(Part(solve, l, b1), Part(solve, l, b2));
  } else {
    const Quadrants q(l, l.rows / 2);
    const auto [b1, b2] = halve_rows(b);
    solve_lower(fork, q.a11, b1, base);
    rec_mult<-1>(fork, b2, q.a21, b1, base);
    solve_lower(fork, q.a22, b2, base);
  }
}

/// B = B U^-1 for the upper triangle U of the square `u`, diagonal included.
template <class Fork, class T, class Access>
void solve_upper(Fork& fork, MatrixView<T, Access> b, ConstantMatrix<T, Access> u, Index base) {
  if (b.rows == 0) return;
  if (std::max(b.rows, b.cols) <= base) {
    for (Index i = 0; i < b.rows; ++i)
      for (Index k = 0; k < b.cols; ++k) {
        const T bik = b(i, k) / u(k, k);
        b(i, k) = bik;
        for (Index j = k + 1; j < b.cols; ++j) b(i, j) -= bik * u(k, j);
      }
  } else if (b.rows > b.cols) {
    const auto [b1, b2] = halve_rows(b);
    const auto solve = [&fork, base](auto... part) { solve_upper(fork, part..., base); };
    fork(Part(solve, b1, u), Part(solve, b2, u));
  } else {
    const Quadrants q(u, u.cols / 2);
    const auto [b1, b2] = halve_cols(b);
    solve_upper(fork, b1, q.a11, base);
    rec_mult<-1>(fork, b2, b1, q.a12, base);
    solve_upper(fork, b2, q.a22, base);
  }
}

}  // namespace tallcache::cpu::lu
