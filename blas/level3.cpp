#include "blas/level3.hpp"

#include "blas/calls.hpp"
#include "blas/forks.hpp"
#include "blas/symmetric.hpp"

namespace tallcache::blas {
namespace {

template <class T>
bool is_nothing_to_do(Index m, Index n, Index k, T alpha, T beta) {
  return m == 0 || n == 0 || ((k == 0 || alpha == 0) && beta == 1);
}

}  // namespace

template <class T>
void gemm(Layout layout, Trans trans_a, Trans trans_b, Index m, Index n, Index k, T alpha, Stored<const T> a,
          Stored<const T> b, T beta, Stored<T> c) noexcept {
  // In column-major order the arrays are those of C^T = op(B)^T op(A)^T in row-major order.
  if (layout == Layout::column_major)
    return gemm(Layout::row_major, trans_b, trans_a, n, m, k, alpha, b, a, beta, c);
  count_call<T>(Routine::gemm);
  if (is_nothing_to_do(m, n, k, alpha, beta)) return;
  const auto& kernel = cpu::matmul::register_kernel<T>();
  const cpu::matmul::detail::Packing<T> packing(kernel, m, n, k, trans_b == Trans::no, 1, {});
  const Index nanoseconds = nanoseconds_of(kernel, m, n, k);
  if (packing.one_leaf && k > 0 && alpha != 0 && on_one_thread(nanoseconds))
    return cpu::matmul::detail::multiply_unpacked<T>(kernel, trans_a, alpha, view_of(a, trans_a, m, k),
                                                     view_of(b, trans_b, k, n), beta,
                                                     view_of(c, Trans::no, m, n));
  with_fork(nanoseconds, [&](auto& fork) {
    const Lease lease(bytes_of(
        [&] { return cpu::matmul::gemm_scratch_bytes<T>(Layout::row_major, trans_a, trans_b, m, n, k); }));
    cpu::matmul::detail::gemm_rows(fork, trans_a, trans_b, alpha, view_of(a, trans_a, m, k),
                                   view_of(b, trans_b, k, n), beta, view_of(c, Trans::no, m, n),
                                   lease.scratch(), {});
  });
}

namespace {

template <class T>
void multiply_triangle(Layout layout, Triangle triangle, Trans trans_a, Trans trans_b, Index n, Index k,
                       T alpha, Stored<const T> a, Stored<const T> b, T beta, Stored<T> c) {
  if (layout == Layout::column_major)
    return multiply_triangle(Layout::row_major, other(triangle), trans_b, trans_a, n, k, alpha, b, a, beta,
                             c);
  if (is_nothing_to_do(n, n, k, alpha, beta)) return;
  const auto lease = [](std::size_t bytes) { return Lease(bytes); };
  with_fork(nanoseconds_of(cpu::matmul::register_kernel<T>(), n, n, k), [&](auto& fork) {
    cpu::matmul::gemmt(fork, triangle, trans_a, trans_b, alpha, view_of(a, trans_a, n, k),
                       view_of(b, trans_b, k, n), beta, view_of(c, Trans::no, n, n), lease);
  });
}

}  // namespace

template <class T>
void gemmt(Layout layout, Triangle triangle, Trans trans_a, Trans trans_b, Index n, Index k, T alpha,
           Stored<const T> a, Stored<const T> b, T beta, Stored<T> c) noexcept {
  count_call<T>(Routine::gemmt);
  multiply_triangle(layout, triangle, trans_a, trans_b, n, k, alpha, a, b, beta, c);
}

template <class T>
void syrk(Layout layout, Triangle triangle, Trans trans, Index n, Index k, T alpha, Stored<const T> a, T beta,
          Stored<T> c) noexcept {
  count_call<T>(Routine::syrk);
  multiply_triangle(layout, triangle, trans, other(trans), n, k, alpha, a, a, beta, c);
}

template <class T>
void syr2k(Layout layout, Triangle triangle, Trans trans, Index n, Index k, T alpha, Stored<const T> a,
           Stored<const T> b, T beta, Stored<T> c) noexcept {
  count_call<T>(Routine::syr2k);
  const Trans other_trans = other(trans);
  multiply_triangle(layout, triangle, trans, other_trans, n, k, alpha, a, b, beta, c);
  if (k > 0 && alpha != 0)
    multiply_triangle(layout, triangle, trans, other_trans, n, k, alpha, b, a, T{1}, c);
}

template <class T>
void symm(Layout layout, Side side, Triangle triangle, Index m, Index n, T alpha, Stored<const T> a,
          Stored<const T> b, T beta, Stored<T> c) noexcept {
  // In column-major order the arrays are those of C^T = B^T A, or A B^T, in row-major order.
  if (layout == Layout::column_major)
    return symm(Layout::row_major, other(side), other(triangle), n, m, alpha, a, b, beta, c);
  count_call<T>(Routine::symm);
  const Index order = side == Side::left ? m : n;
  if (is_nothing_to_do(m, n, order, alpha, beta)) return;
  with_fork(nanoseconds_of(cpu::matmul::register_kernel<T>(), m, n, order), [&](auto& fork) {
    SymmetricProduct<T>{side, triangle, alpha, beta}(fork, {a.data, order, order, a.ld}, {b.data, m, n, b.ld},
                                                     {c.data, m, n, c.ld});
  });
}

#define INSTANTIATE(T)                                                                                      \
  template void gemm(Layout, Trans, Trans, Index, Index, Index, T, Stored<const T>, Stored<const T>, T,     \
                     Stored<T>) noexcept;                                                                   \
  template void gemmt(Layout, Triangle, Trans, Trans, Index, Index, T, Stored<const T>, Stored<const T>, T, \
                      Stored<T>) noexcept;                                                                  \
  template void syrk(Layout, Triangle, Trans, Index, Index, T, Stored<const T>, T, Stored<T>) noexcept;     \
  template void syr2k(Layout, Triangle, Trans, Index, Index, T, Stored<const T>, Stored<const T>, T,        \
                      Stored<T>) noexcept;                                                                  \
  template void symm(Layout, Side, Triangle, Index, Index, T, Stored<const T>, Stored<const T>, T,          \
                     Stored<T>) noexcept
INSTANTIATE(float);
INSTANTIATE(double);
#undef INSTANTIATE

}  // namespace tallcache::blas
