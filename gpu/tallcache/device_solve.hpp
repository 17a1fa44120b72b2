// Linear systems in double precision on a GPU, by an LU decomposition in float that steps of iterative
// refinement make good, as <tallcache/solve.hpp> has it on the CPU.
//
//   const std::size_t bytes = device_solve_scratch(n, 1);  // of the device's memory
//   const SolveReport report = device_solve({1, stream}, a, b, x, scratch);  // A X = B
//   if (report.refinement != Refinement::converged) print(text_of(report.refinement));
//
// It is a part of a library that is built with CUDA.
#pragma once

#include <cstddef>

#include "common/refinement.hpp"
#include "common/variant.hpp"

namespace tallcache {

/// The bytes of scratch of device_solve() for an n x n matrix and a B of n x `right_hand_sides`: 8 n^2 and
/// less than a tenth more for large n. Throws Error where they overflow.
///
/// Source: Carson and Higham 2018, as device_solve().
std::size_t device_solve_scratch(Index n, Index right_hand_sides);

/// X = A^-1 B in double precision in the stream of `launch`, for views of the device's memory: A n x n, B and
/// X n x p. A and B are not written. `scratch` has device_solve_scratch() bytes at a multiple of 256. The
/// factors are those of A in float, with products on tensor cores; where refinement does not converge, A is
/// factored again in double, and the report says so. The host waits for each step of refinement; X is
/// complete once the stream is. Results are the same bytes in every run. Throws Error when sizes do not fit,
/// X overlaps A or B, A is singular, an element or a solution is not finite, or the device is not of compute
/// capability 9.0.
///
/// Source: Carson and Higham, "Accelerating the solution of linear systems by iterative refinement in three
/// precisions", 2018; LAPACK's dsgesv; Ootomo and Yokota 2022 for the products.
SolveReport device_solve(const Launch& launch, MatrixView<const double> a, MatrixView<const double> b,
                         MatrixView<double> x, Scratch<> scratch);

}  // namespace tallcache
