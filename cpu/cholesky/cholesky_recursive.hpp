// Cholesky decomposition by quadrants (Gustavson, "Recursion leads to automatic variable blocking for dense
// linear-algebra algorithms", IBM J. Res. Dev. 41, 1997, 737-755): L11 L11^T = A11, the triangular system L21
// L11^T = A21, L22 L22^T = A22 - L21 L21^T. Work Theta(n^3), span Theta(n lg^2 n).
#pragma once

#include <cmath>

#include "common/ops/cholesky.hpp"
#include "common/variant.hpp"
#include "cpu/lu/triangular_solve.hpp"

namespace tallcache::cpu::cholesky {

/// B = B L^-T for the lower triangle L of the square `l`, diagonal included. base >= 1.
template <class Fork, class T, class Access>
void solve_lower_transposed(Fork& fork, MatrixView<T, Access> b, ConstantMatrix<T, Access> l, Index base) {
  if (b.rows == 0) return;
  if (std::max(b.rows, b.cols) <= base) {
    for (Index i = 0; i < b.rows; ++i)
      for (Index j = 0; j < b.cols; ++j) {
        T sum = b(i, j);
        for (Index k = 0; k < j; ++k) sum -= b(i, k) * l(j, k);
        b(i, j) = sum / l(j, j);
      }
  } else if (b.rows > b.cols) {
    const auto [b1, b2] = halve_rows(b);
    const auto solve = [&fork, base](auto... part) { solve_lower_transposed(fork, part..., base); };
    fork(Part(solve, b1, l), Part(solve, b2, l));
  } else {
    const lu::Quadrants q(l, l.cols / 2);
    const auto [b1, b2] = halve_cols(b);
    solve_lower_transposed(fork, b1, q.a11, base);
    matmul::rec_mult_by<-1>(fork, b2, MatrixView<const T, Access>(b1), transpose_of(q.a21), base);
    solve_lower_transposed(fork, b2, q.a22, base);
  }
}

/// C -= A A^T on the lower triangle of the square C. base >= 1.
template <class Fork, class T, class Access>
void subtract_square(Fork& fork, MatrixView<T, Access> c, ConstantMatrix<T, Access> a, Index base) {
  if (c.rows <= base) {
    for (Index i = 0; i < c.rows; ++i)
      for (Index j = 0; j <= i; ++j) {
        T sum{};
        for (Index k = 0; k < a.cols; ++k) sum += a(i, k) * a(j, k);
        c(i, j) -= sum;
      }
    return;
  }
  const lu::Quadrants q(c, c.rows / 2);
  const auto [a1, a2] = halve_rows(a);
  const auto square = [&fork, base](auto... part) { subtract_square(fork, part..., base); };
  const auto rectangle = [&fork, base](auto part, auto rows, auto cols) {
    matmul::rec_mult_by<-1>(fork, part, rows, transpose_of(cols), base);
  };
  const auto squares = [&fork, upper = Part(square, q.a11, a1), lower = Part(square, q.a22, a2)] {
    fork(upper, lower);
  };
  fork(squares, Part(rectangle, q.a21, a2, a1));
}

/// Factors the square `a`, whose first row is number `first` of the matrix. Throws Error on a pivot that is
/// not above 0. base >= 1.
template <class Fork, class M>
void rec_cholesky(Fork& fork, M a, Index base, Index first = 0) {
  if (a.rows <= base) {
    for (Index j = 0; j < a.rows; ++j) {
      typename M::value_type pivot = a(j, j);
      for (Index k = 0; k < j; ++k) pivot -= a(j, k) * a(j, k);
      if (!(pivot > 0)) throw_not_positive_definite(first + j, pivot);
      const typename M::value_type root = std::sqrt(pivot);
      a(j, j) = root;
      for (Index i = j + 1; i < a.rows; ++i) {
        typename M::value_type sum = a(i, j);
        for (Index k = 0; k < j; ++k) sum -= a(i, k) * a(j, k);
        a(i, j) = sum / root;
      }
    }
    return;
  }
  const lu::Quadrants q(a, a.rows / 2);
  rec_cholesky(fork, q.a11, base, first);
  solve_lower_transposed(fork, q.a21, q.a11, base);
  subtract_square(fork, q.a22, q.a21, base);
  rec_cholesky(fork, q.a22, base, first + q.a11.rows);
}

struct cholesky_recursive {
  static constexpr std::string_view idea =
      "by quadrants: a triangular system, a recursive symmetric product for the Schur complement";
  static constexpr std::string_view source = "Gustavson 1997";
  using operations = OperationList<Cholesky<double>, Cholesky<float>>;
  static constexpr ParamSpec params[] = {{"base", 32, "a block with no larger dimension is a leaf"}};
  static constexpr bool parallel = true;
  static constexpr double ns_per_unit = 0.25;

  template <class Fork, class Args>
  static void run(Fork& fork, const Args& args, const Params& params) {
    rec_cholesky(fork, args.a, params["base"]);
  }
};

}  // namespace tallcache::cpu::cholesky
