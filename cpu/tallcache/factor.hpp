// Decompositions of matrices, and the triangular systems that they leave, for float and double on the CPU.
//
//   std::vector<std::int32_t> exchanges(n);
//   lu_factor(a, {exchanges.data(), n});                  // P A = L U, in place
//   exchange_rows(b, {exchanges.data(), n});              // B = P B
//   solve_triangular(Side::left, Triangle::lower, Trans::no, Diagonal::unit, a, b);      // B = L^-1 B
//   solve_triangular(Side::left, Triangle::upper, Trans::no, Diagonal::non_unit, a, b);  // A X = B: X
//
// Matrices are row-major views whose rows may lie apart. `threads` includes the caller; results are the same
// bytes on any number of them.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <string>

#include "common/execute.hpp"
#include "common/fork/parallel.hpp"
#include "common/ops/cholesky.hpp"
#include "common/ops/lu.hpp"
#include "common/span_views.hpp"
#include "cpu/lu/lu_pivot_toledo.hpp"
#include "cpu/lu/one_sided.hpp"
#include "cpu/lu/triangular_solves.hpp"
#include "cpu/matmul/gemm.hpp"
#include "cpu/matmul/gemmt.hpp"

namespace tallcache {

using cpu::lu::Diagonal;
using cpu::lu::Side;
using cpu::matmul::Trans;
using cpu::matmul::Triangle;

/// The elements of the matrices that are decomposed.
template <class T>
concept IsFactored = std::same_as<T, float> || std::same_as<T, double>;

/// P A = L U with partial pivoting, in place, on `threads` threads including the caller. A is m x n; L, whose
/// unit diagonal is not stored, is m x min(m, n), U min(m, n) x n. Step i exchanges row i with row
/// exchanges[i], counted from 0, for i = 0 ... min(m, n) - 1. Throws Error when the sizes do not fit, and one
/// that names the pivot when it is 0 or NaN; A is then partly factored.
///
/// Source: Toledo, "Locality of reference in LU decomposition with partial pivoting", 1997.
template <IsFactored T>
void lu_factor(MatrixView<T> a, VectorView<std::int32_t> exchanges, int threads = 1) {
  execute<LuPivot<T>>("lu_pivot_toledo", {a, exchanges}, {}, threads);
}

/// Exchanges row i of B, m x n, with row exchanges[i], for i = 0, 1, ...: B = P B. Throws Error where B has
/// no such row.
///
/// Source: LAPACK's laswp (Anderson et al., LAPACK Users' Guide, 1999).
template <IsFactored T>
void exchange_rows(MatrixView<T> b, VectorView<const std::int32_t> exchanges) {
  for (Index i = 0; i < exchanges.size; ++i)
    if (i >= b.rows || exchanges[i] < 0 || exchanges[i] >= b.rows)
      throw Error("exchange_rows: exchange " + std::to_string(i) + " is of row " +
                  std::to_string(exchanges[i]) + ", B has " + std::to_string(b.rows));
  Serial fork;
  cpu::lu::exchange_stretches(fork, b, exchanges, 0);
}

/// A = L L^T in the lower triangle of the symmetric positive definite n x n matrix A, in place, on `threads`
/// threads including the caller; the elements above the diagonal are neither read nor written. Throws Error,
/// which names the order of the leading minor (LAPACK's info), when A is not positive definite.
///
/// Source: Gustavson, "Recursion leads to automatic variable blocking for dense linear-algebra algorithms",
/// 1997.
template <IsFactored T>
void cholesky_factor(MatrixView<T> a, int threads = 1) {
  execute<Cholesky<T>>("cholesky_gustavson", {a}, {}, threads);
}

/// B = op(A)^-1 B, or B = B op(A)^-1 where `side` is the right one, for a `triangle` of the n x n matrix A,
/// as BLAS's trsm with alpha = 1, on `threads` threads including the caller. op is a transposition where
/// `trans` says so. The other triangle is not read, nor is a unit `diagonal`. B has n rows on the left, n
/// columns on the right. Throws Error when the sizes do not fit or the matrices overlap. A zero on the
/// diagonal gives infinities and NaN.
///
/// Source: Du Croz and Higham, "Stability of methods for matrix inversion", 1992, for the leaves; Elmroth,
/// Gustavson, Jonsson, Kagstrom, "Recursive blocked algorithms and hybrid data structures for dense matrix
/// library software", 2004, for the recursion.
template <IsFactored T>
void solve_triangular(Side side, Triangle triangle, Trans trans, Diagonal diagonal,
                      std::type_identity_t<MatrixView<const T>> a, MatrixView<T> b, int threads = 1) {
  require_threads(threads);
  validate_view(a, "A");
  validate_view(b, "B");
  const Index n = side == Side::left ? b.rows : b.cols, others = side == Side::left ? b.cols : b.rows;
  if (a.rows != n || a.cols != n)
    throw Error("solve_triangular: A is " + std::to_string(a.rows) + " x " + std::to_string(a.cols) + ", B " +
                std::to_string(b.rows) + " x " + std::to_string(b.cols));
  validate_disjoint(b, "B", a, "A");
  using Memory = cpu::lu::SolveMemory<T, Plain>;
  const detail::SessionLease session({.threads = threads});
  const std::size_t bytes = Memory::bytes(others, cpu::lu::solve_scratch<T>(side, n, others));
  Scratch<> scratch(session->memory(0, bytes, Pages::huge).first(bytes));
  const cpu::lu::TriangularSolve<T, Plain> solve{side, triangle, trans, diagonal,
                                                 Memory::take(scratch, others)};
  if (threads == 1) {
    Serial fork;
    return solve(fork, a, b);
  }
  run_parallel(threads, [&](auto& fork) { solve(fork, a, b); });
}

}  // namespace tallcache
