// Linear systems in double precision, by an LU decomposition in float that steps of iterative refinement make
// good: half of the time and of the memory of one in double.
//
//   const SolveReport report = solve(a, b, x, threads);  // A X = B
//   if (report.refinement != Refinement::converged) print(text_of(report.refinement));
//
// Where refinement does not converge, as for matrices whose condition is beyond 10^7 or so, the matrix is
// factored again in double: the report says so. `threads` includes the caller; results are the same bytes on
// any number of them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "common/refinement.hpp"
#include "factor.hpp"
#include "matmul.hpp"

namespace tallcache {
namespace detail {

/// Solutions of A X = B by factors of T, each refined by residuals in double.
template <class T>
class Refiner {
 public:
  Refiner(MatrixView<const double> matrix, MatrixView<const double> right, MatrixView<double> solution,
          int number_of_threads)
      : a(matrix),
        b(right),
        x(solution),
        threads(number_of_threads),
        session({.threads = number_of_threads}) {
    const Index n = a.rows, columns = b.cols;
    const std::size_t bytes = scratch_bytes(
        {matrix_bytes<T>(n, n, 0), matrix_bytes<T>(n, columns, 0), matrix_bytes<double>(n, columns, 0),
         static_cast<std::size_t>(n) * sizeof(std::int32_t), matrix_bytes<double>(2, n, 0)});
    Scratch<> scratch(session->memory(0, bytes, Pages::huge).first(bytes));
    factors = scratch.matrix<T>(n, n);
    correction = scratch.matrix<T>(n, columns);
    residual = scratch.matrix<double>(n, columns);
    exchanges = scratch.vector<std::int32_t>(n);
    of_rows = scratch.matrix<double>(2, n);
  }

  /// Sets `report`; true where it converged. Throws Error where a pivot is 0 or NaN.
  bool solve(SolveReport& report) {
    factor();
    RefinementTest test(a.rows, norm, static_cast<std::size_t>(b.cols));
    for (report.steps = 0;; ++report.steps) {
      correct(report.steps == 0);
      const auto end = test.judge(norms(residual), norms(x));
      report.backward_error = test.backward_error();
      if (!end) continue;
      report.refinement = *end;
      return *end == Refinement::converged;
    }
  }

 private:
  template <class Body>
  void for_rows(const Body& body) const {
    const auto rows = [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) body(i);
    };
    if (threads == 1) return rows(0, a.rows);
    run_parallel(threads, [&](auto& fork) { loop_blocks(fork, a.rows, 64, rows); });
  }

  /// A power of two that brings a magnitude near 1; 1 for doubles, and for what is 0 or not finite.
  static double scale_of(double magnitude) {
    if (sizeof(T) == 8 || magnitude == 0 || !std::isfinite(magnitude)) return 1;
    return std::ldexp(1.0, std::clamp(-std::ilogb(magnitude), -1022, 1022));
  }

  /// The factors of A, scaled so that no element overflows in float, and the infinity norm of A.
  void factor() {
    for_rows([&](Index i) {
      double sum = 0, largest = 0;
      for (Index j = 0; j < a.cols; ++j) {
        sum += std::abs(a(i, j));
        largest = std::max(largest, std::abs(a(i, j)));
      }
      of_rows(0, i) = sum;
      of_rows(1, i) = largest;
    });
    norm = 0;
    double largest = 0;
    for (Index i = 0; i < a.rows; ++i) {
      if (!(of_rows(0, i) <= norm)) norm = of_rows(0, i);
      largest = std::max(largest, of_rows(1, i));
    }
    scale = scale_of(largest);
    for_rows([&](Index i) {
      for (Index j = 0; j < a.cols; ++j) factors(i, j) = static_cast<T>(a(i, j) * scale);
    });
    lu_factor(factors, exchanges, threads);
  }

  /// X += A^-1 (B - A X), and the residual of the new X. Where `first`, X is 0 before.
  void correct(bool first) {
    const Index columns = b.cols;
    std::vector<double> scales(static_cast<std::size_t>(columns), 1);
    if (first) for_rows([&](Index i) { std::copy_n(&b(i, 0), columns, &residual(i, 0)); });
    const std::vector<double> largest = norms(residual);
    for (std::size_t c = 0; c < scales.size(); ++c) scales[c] = scale_of(largest[c]);
    for_rows([&](Index i) {
      for (Index c = 0; c < columns; ++c)
        correction(i, c) = static_cast<T>(residual(i, c) * scales[static_cast<std::size_t>(c)]);
    });
    exchange_rows(correction, exchanges);
    solve_triangular(Side::left, Triangle::lower, Trans::no, Diagonal::unit, factors, correction, threads);
    solve_triangular(Side::left, Triangle::upper, Trans::no, Diagonal::non_unit, factors, correction,
                     threads);
    for_rows([&](Index i) {
      // One scale after the other: their quotient may overflow where the element does not.
      for (Index c = 0; c < columns; ++c)
        x(i, c) = (first ? 0 : x(i, c)) + correction(i, c) * scale / scales[static_cast<std::size_t>(c)];
    });
    for_rows([&](Index i) { std::copy_n(&b(i, 0), columns, &residual(i, 0)); });
    gemm<double>(Layout::row_major, Trans::no, Trans::no, -1, a, x, 1, residual, threads);
  }

  /// The infinity norms of the columns.
  static std::vector<double> norms(const MatrixView<double>& v) {
    std::vector<double> largest(static_cast<std::size_t>(v.cols), 0);
    for (Index i = 0; i < v.rows; ++i)
      for (Index c = 0; c < v.cols; ++c)
        if (double& of_column = largest[static_cast<std::size_t>(c)]; !(std::abs(v(i, c)) <= of_column))
          of_column = std::isnan(of_column) ? of_column : std::abs(v(i, c));
    return largest;
  }

  MatrixView<const double> a, b;
  MatrixView<double> x;
  int threads;
  SessionLease session;
  MatrixView<T> factors, correction;
  MatrixView<double> residual, of_rows;
  VectorView<std::int32_t> exchanges;
  double norm = 0, scale = 1;
};

}  // namespace detail

/// X = A^-1 B in double precision on `threads` threads including the caller, for an n x n matrix A and n x p
/// matrices B and X. A and B are not written. The columns of X have backward errors ||b - A x|| / (||A||
/// ||x||) of up to sqrt(n) 2^-53 in the infinity norm where refinement converged; the report has theirs in
/// any case. The memory that it takes, 4 n^2 bytes and 8 n^2 more where factors in double are needed, is kept
/// for the next call. Throws Error when sizes do not fit, X overlaps A or B, A is singular, or an element or
/// a solution is not finite.
///
/// Source: LAPACK's dsgesv (Langou et al., "Exploiting the performance of 32 bit floating point arithmetic in
/// obtaining 64 bit accuracy", 2006); Carson and Higham, "Accelerating the solution of linear systems by
/// iterative refinement in three precisions", 2018.
inline SolveReport solve(MatrixView<const double> a, MatrixView<const double> b, MatrixView<double> x,
                         int threads = 1) {
  require_threads(threads);
  validate_solve(a, b, x);
  SolveReport report;
  if (a.rows == 0 || b.cols == 0) return report;
  bool converged = false;
  try {
    converged = detail::Refiner<float>(a, b, x, threads).solve(report);
  } catch (const Error&) {  // a pivot that is 0 or NaN in float
    report.refinement = Refinement::not_finite;
  }
  if (converged) return report;
  SolveReport by_double;
  detail::Refiner<double>(a, b, x, threads).solve(by_double);
  if (by_double.refinement == Refinement::not_finite)
    throw Error("solve: the matrix is singular, or an element is not finite");
  report.backward_error = by_double.backward_error;
  return report;
}

}  // namespace tallcache
