// Transposition of matrices of 4- and 8-byte elements (float, double, int32_t) on the CPU. rec_transpose() is
// the bare recursion, a template over how it forks and how it accesses memory.
#pragma once

#include <concepts>
#include <cstdint>

#include "common/execute.hpp"
#include "common/ops/transpose.hpp"
#include "common/span_views.hpp"
#include "cpu/transpose/recursive.hpp"

namespace tallcache {

using cpu::transpose::rec_transpose;

/// The elements of the matrices that transpose() transposes.
template <class T>
concept IsTransposed = std::same_as<T, float> || std::same_as<T, double> || std::same_as<T, std::int32_t>;

/// B = A^T on `threads` threads including the caller. A is m x n, B n x m. Throws Error when the sizes do not
/// fit or the matrices overlap.
///
/// Source: REC-TRANSPOSE (Frigo, Leiserson, Prokop, Ramachandran 1999).
template <IsTransposed T>
void transpose(MatrixView<T> b, std::type_identity_t<MatrixView<const T>> a, int threads = 1) {
  execute<Transpose<T>>("recursive_streaming", {b, a}, {}, threads);
}

/// A = A^T in place on `threads` threads including the caller. A is n x n. Throws Error where it is not
/// square.
///
/// Source: REC-TRANSPOSE (Frigo, Leiserson, Prokop, Ramachandran 1999), both halves of the diagonal at once.
template <IsTransposed T>
void transpose(MatrixView<T> a, int threads = 1) {
  execute<TransposeInPlace<T>>("recursive_streaming", {a}, {}, threads);
}

}  // namespace tallcache
