#include "blas/level3.hpp"

#include <atomic>
#include <utility>

#include "blas/threads.hpp"
#include "common/fork/one_tbb.hpp"

namespace tallcache::blas {
namespace {

using cpu::matmul::gemm_scratch_bytes;

std::atomic<std::uint64_t> call_count{0};

/// Not an atomic addition, which would take as long as a small product.
void count_call() {
  call_count.store(call_count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

/// Calls run(fork) with as many threads as so much work on one thread is worth.
template <class Run>
void with_fork(Index nanoseconds, const Run& run) {
  const int width = nanoseconds < cpu::matmul::detail::min_shared_work ? 1 : threads();
  if (width == 1) {
    Serial fork;
    return run(fork);
  }
  in_arena(width, [&] {
    OneTbb fork{width};
    run(fork);
  });
}

/// The view of a stored matrix of which op is rows x cols.
template <class T>
MatrixView<T> view_of(Stored<T> x, Trans trans, Index rows, Index cols) {
  if (trans == Trans::yes) std::swap(rows, cols);
  return {x.data, rows, cols, x.ld};
}

/// A product of m x n x k, with saturation: it only chooses the number of threads.
Index work_of(Index m, Index n, Index k) {
  const double work = static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  return work < 1e15 ? static_cast<Index>(work) : Index{1000000000000000};
}

template <class T>
bool is_nothing_to_do(Index m, Index n, Index k, T alpha, T beta) {
  return m == 0 || n == 0 || ((k == 0 || alpha == 0) && beta == 1);
}

Triangle other(Triangle triangle) { return triangle == Triangle::lower ? Triangle::upper : Triangle::lower; }

}  // namespace

std::uint64_t calls() { return call_count.load(std::memory_order_relaxed); }

template <class T>
void gemm(Layout layout, Trans trans_a, Trans trans_b, Index m, Index n, Index k, T alpha, Stored<const T> a,
          Stored<const T> b, T beta, Stored<T> c) noexcept {
  // In column-major order the arrays are those of C^T = op(B)^T op(A)^T in row-major order.
  if (layout == Layout::column_major)
    return gemm(Layout::row_major, trans_b, trans_a, n, m, k, alpha, b, a, beta, c);
  count_call();
  if (is_nothing_to_do(m, n, k, alpha, beta)) return;
  const cpu::matmul::detail::Packing<T> packing(cpu::matmul::register_kernel<T>(), m, n, trans_b == Trans::no,
                                                1, {});
  const Index nanoseconds = work_of(m, n, k) / packing.kernel.per_ns;
  if (packing.none(k) && k > 0 && alpha != 0 && nanoseconds < cpu::matmul::detail::min_shared_work)
    return cpu::matmul::detail::multiply_unpacked<T>(packing.kernel, trans_a, alpha,
                                                     view_of(a, trans_a, m, k), view_of(b, trans_b, k, n),
                                                     beta, view_of(c, Trans::no, m, n));
  with_fork(nanoseconds, [&](auto& fork) {
    const Lease lease(gemm_scratch_bytes<T>(Layout::row_major, trans_a, trans_b, m, n, k));
    cpu::matmul::detail::gemm_rows(fork, trans_a, trans_b, alpha, view_of(a, trans_a, m, k),
                                   view_of(b, trans_b, k, n), beta, view_of(c, Trans::no, m, n),
                                   lease.scratch(), {});
  });
}

template <class T>
void gemmt(Layout layout, Triangle triangle, Trans trans_a, Trans trans_b, Index n, Index k, T alpha,
           Stored<const T> a, Stored<const T> b, T beta, Stored<T> c) noexcept {
  if (layout == Layout::column_major)
    return gemmt(Layout::row_major, other(triangle), trans_b, trans_a, n, k, alpha, b, a, beta, c);
  count_call();
  if (is_nothing_to_do(n, n, k, alpha, beta)) return;
  const auto lease = [](std::size_t bytes) { return Lease(bytes); };
  with_fork(work_of(n, n, k) / cpu::matmul::register_kernel<T>().per_ns, [&](auto& fork) {
    cpu::matmul::gemmt(fork, triangle, trans_a, trans_b, alpha, view_of(a, trans_a, n, k),
                       view_of(b, trans_b, k, n), beta, view_of(c, Trans::no, n, n), lease);
  });
}

template void gemm(Layout, Trans, Trans, Index, Index, Index, float, Stored<const float>, Stored<const float>,
                   float, Stored<float>) noexcept;
template void gemm(Layout, Trans, Trans, Index, Index, Index, double, Stored<const double>,
                   Stored<const double>, double, Stored<double>) noexcept;
template void gemmt(Layout, Triangle, Trans, Trans, Index, Index, float, Stored<const float>,
                    Stored<const float>, float, Stored<float>) noexcept;
template void gemmt(Layout, Triangle, Trans, Trans, Index, Index, double, Stored<const double>,
                    Stored<const double>, double, Stored<double>) noexcept;

}  // namespace tallcache::blas
