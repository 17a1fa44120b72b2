// The products and systems with triangles: trmm and trsm.
#include "blas/calls.hpp"
#include "blas/forks.hpp"
#include "cpu/lu/triangular_products.hpp"

namespace tallcache::blas {
namespace {

using cpu::lu::SolveMemory;

template <class Fork, class T>
void scale(Fork& fork, T alpha, MatrixView<T> b) {
  if (alpha == 1) return;
  loop_blocks(fork, b.rows, 16, [=](Index begin, Index end) {
    for (Index i = begin; i < end; ++i)
      for (Index j = 0; j < b.cols; ++j) b(i, j) = alpha == 0 ? T{0} : alpha * b(i, j);
  });
}

/// run(fork, A, B, memory) in row-major order, after alpha = 0 is done. The memory may be none.
template <class T, class Run>
void with_triangle(Side side, Index m, Index n, T alpha, Stored<const T> a, Stored<T> b, const Run& run) {
  if (m == 0 || n == 0) return;
  const Index order = side == Side::left ? m : n, others = side == Side::left ? n : m;
  with_fork(nanoseconds_of(cpu::matmul::register_kernel<T>(), m, n, order) / 2, [&](auto& fork) {
    const MatrixView<T> to{b.data, m, n, b.ld};
    if (alpha == 0) return scale(fork, alpha, to);
    SolveMemory<T, Plain> memory;
    const Lease lease(bytes_of([&] {
      return SolveMemory<T, Plain>::bytes(others, cpu::lu::solve_scratch<T>(side, order, others));
    }));
    Scratch<> scratch = lease.scratch();
    if (scratch.bytes_left() > 0) memory = SolveMemory<T, Plain>::take(scratch, others);
    run(fork, MatrixView<const T>{a.data, order, order, a.ld}, to, memory);
  });
}

}  // namespace

// In column-major order the arrays are those of B^T = alpha B^T op(A)^T in row-major order: A^T has the other
// triangle, and op stays.

template <class T>
void trmm(Layout layout, Side side, Triangle triangle, Trans trans, Diagonal diagonal, Index m, Index n,
          T alpha, Stored<const T> a, Stored<T> b) noexcept {
  if (layout == Layout::column_major)
    return trmm(Layout::row_major, other(side), other(triangle), trans, diagonal, n, m, alpha, a, b);
  count_call<T>(Routine::trmm);
  with_triangle(side, m, n, alpha, a, b, [&](auto& fork, auto factor, auto to, const auto& memory) {
    cpu::lu::TriangularProduct<T, Plain>{side, triangle, trans, diagonal, alpha, memory}(fork, factor, to);
  });
}

template <class T>
void trsm(Layout layout, Side side, Triangle triangle, Trans trans, Diagonal diagonal, Index m, Index n,
          T alpha, Stored<const T> a, Stored<T> b) noexcept {
  if (layout == Layout::column_major)
    return trsm(Layout::row_major, other(side), other(triangle), trans, diagonal, n, m, alpha, a, b);
  count_call<T>(Routine::trsm);
  with_triangle(side, m, n, alpha, a, b, [&](auto& fork, auto factor, auto to, const auto& memory) {
    scale(fork, alpha, to);
    cpu::lu::TriangularSolve<T, Plain>{side, triangle, trans, diagonal, memory, most_condition<T>}(
        fork, factor, to);
  });
}

#define INSTANTIATE(T)                                                                          \
  template void trmm(Layout, Side, Triangle, Trans, Diagonal, Index, Index, T, Stored<const T>, \
                     Stored<T>) noexcept;                                                       \
  template void trsm(Layout, Side, Triangle, Trans, Diagonal, Index, Index, T, Stored<const T>, \
                     Stored<T>) noexcept
INSTANTIATE(float);
INSTANTIATE(double);
#undef INSTANTIATE

}  // namespace tallcache::blas
