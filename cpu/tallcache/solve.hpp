// Linear systems in double precision, by an LU decomposition in float that steps of iterative refinement make
// good: half of the time and of the memory of one in double. Small systems, and those with many right-hand
// sides, where steps would take longer than that saves, are solved by a decomposition in double.
//
//   const SolveReport report = solve(a, b, x, threads);  // A X = B
//   print(text_of(report.refinement));
//
// Where refinement does not converge, as for matrices whose condition is beyond 10^7 or so, the matrix is
// factored again in double: the report says so. `threads` includes the caller; results are the same bytes on
// any number of them.
#pragma once

#include "common/execute.hpp"
#include "common/ops/solve.hpp"

namespace tallcache {

/// X = A^-1 B in double precision on `threads` threads including the caller, for an n x n matrix A and n x p
/// matrices B and X. A and B are not written. The columns of X have backward errors ||b - A x|| / (||A||
/// ||x||) of up to sqrt(n) 2^-53 in the infinity norm where refinement converged; the report has theirs where
/// it was tried. The memory that it takes, 8 n^2 bytes, of which 4 n^2 are touched unless factors in double
/// are needed, is kept for the next call. Throws Error when sizes do not fit, X overlaps A or B, A is
/// singular, or an element or a solution is not finite.
///
/// Source: LAPACK's dsgesv (Langou et al., "Exploiting the performance of 32 bit floating point arithmetic in
/// obtaining 64 bit accuracy", 2006); Carson and Higham, "Accelerating the solution of linear systems by
/// iterative refinement in three precisions", 2018.
inline SolveReport solve(MatrixView<const double> a, MatrixView<const double> b, MatrixView<double> x,
                         int threads = 1) {
  SolveReport report;
  execute<Solve<double>>("refined", {x, a, b, {}, &report}, {}, threads);
  return report;
}

}  // namespace tallcache
