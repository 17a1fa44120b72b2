// Products of matrices on the CPU.
//
//   tallcache::gemm(c, a, b);                     // C = A B, at the machine's limit
//   tallcache::gemm(Layout::row_major, Trans::no, Trans::yes, 2.0, a, b, 1.0, c, threads);
//
// gemm() with a fork policy works in scratch of the caller's own. Under Serial, with that scratch, it
// allocates nothing. Without, and on more than four threads, each thread keeps half a MiB for the factors of
// its leaves from the first product on that packs in leaves, and parallel policies allocate tasks. rec_mult()
// is the bare recursion, a template over how it forks and how it accesses memory.
#pragma once

#include <concepts>

#include "common/execute.hpp"
#include "common/fork/parallel.hpp"
#include "common/ops/matmul.hpp"
#include "common/span_views.hpp"
#include "cpu/matmul/gemm.hpp"
#include "cpu/matmul/gemm_plan.hpp"
#include "cpu/matmul/recursive.hpp"

namespace tallcache {

using cpu::matmul::gemm;
using cpu::matmul::gemm_scratch_bytes;
using cpu::matmul::GemmSizes;
using cpu::matmul::Layout;
using cpu::matmul::rec_mult;
using cpu::matmul::Trans;

/// The elements of the matrices that gemm() without a fork policy multiplies. Others have variants that
/// execute<Matmul<std::int32_t>>() runs.
template <class T>
concept IsMultipliedByGemm = std::same_as<T, float> || std::same_as<T, double>;

/// C = alpha op(A) op(B) + beta C, as BLAS's gemm, on `threads` threads including the caller: C is m x n,
/// op(A) m x k, op(B) k x n, all stored in this `layout`, and op is a transposition where `trans_a` or
/// `trans_b` says so. Scratch is kept for the next call. Throws Error when the sizes do not fit or matrices
/// overlap.
///
/// Source: REC-MULT (Frigo, Leiserson, Prokop, Ramachandran 1999) over packed panels (Goto and van de Geijn
/// 2008).
template <IsMultipliedByGemm T>
void gemm(Layout layout, Trans trans_a, Trans trans_b, std::type_identity_t<T> alpha,
          std::type_identity_t<MatrixView<const T>> a, std::type_identity_t<MatrixView<const T>> b,
          std::type_identity_t<T> beta, MatrixView<T> c, int threads = 1) {
  require_threads(threads);
  const Index k = trans_a == Trans::no ? a.cols : a.rows;
  const detail::SessionLease session({.threads = threads});
  const std::size_t bytes = gemm_scratch_bytes<T>(layout, trans_a, trans_b, c.rows, c.cols, k);
  const Scratch<> scratch(session->memory(0, bytes, Pages::huge).first(bytes));
  if (threads == 1) {
    Serial fork;
    return gemm<Serial, T, Plain>(fork, layout, trans_a, trans_b, alpha, a, b, beta, c, scratch);
  }
  run_parallel(threads, [&]<class Fork>(Fork& fork) {
    gemm<Fork, T, Plain>(fork, layout, trans_a, trans_b, alpha, a, b, beta, c, scratch);
  });
}

/// The same for C = A B in row-major order: C is m x n, A m x k, B k x n, on `threads` threads.
template <IsMultipliedByGemm T>
void gemm(MatrixView<T> c, std::type_identity_t<MatrixView<const T>> a,
          std::type_identity_t<MatrixView<const T>> b, int threads = 1) {
  gemm<T>(Layout::row_major, Trans::no, Trans::no, T{1}, a, b, T{0}, c, threads);
}

}  // namespace tallcache
