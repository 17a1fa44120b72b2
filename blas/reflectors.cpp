// geqrf, orgqr, ormqr.
#include "blas/calls.hpp"
#include "blas/forks.hpp"
#include "blas/lapack.hpp"
#include "cpu/qr/apply_q.hpp"

namespace tallcache::blas {
namespace {

using cpu::qr::ApplyQ;
using cpu::qr::Transposed;
using cpu::qr::WithQ;

template <class T>
Index nanoseconds(Index m, Index n, Index k) {
  return 2 * nanoseconds_of(cpu::matmul::register_kernel<T>(), m, n, k);
}

/// with(view) for a rows x cols matrix that is stored by rows, or the other way.
template <class T, class With>
void with_view(bool by_rows, Stored<T> a, Index rows, Index cols, const With& with) {
  if (by_rows) return with(MatrixView<T>{a.data, rows, cols, a.ld});
  with(Transposed(MatrixView<T>{a.data, cols, rows, a.ld}));
}

/// run(fork, scratch) with memory; info.
template <class Bytes, class Run>
std::int64_t with_memory(Index nanoseconds, const Bytes& bytes, const Run& run) {
  std::int64_t info = 0;
  with_fork(nanoseconds, [&](auto& fork) {
    const Lease lease(bytes_of(bytes));
    if (lease.scratch().bytes_left() > 0)
      run(fork, lease.scratch());
    else
      info = no_memory;
  });
  return info;
}

/// C = op(Q) C, where C is m x cols.
template <class T, class Factors, class C>
std::int64_t apply(WithQ with, Index k, Factors factors, const T* tau, C c) {
  return with_memory(
      nanoseconds<T>(c.rows, c.cols, std::max<Index>(k, 1)),
      [&] { return ApplyQ<T, Plain, Factors, C>::scratch_bytes(c.rows, k, c.cols); },
      [&](auto& fork, Scratch<> scratch) {
        ApplyQ<T, Plain, Factors, C>(with, factors, VectorView<const T>{tau, k}, c, scratch)(fork);
      });
}

}  // namespace

template <class T>
std::int64_t geqrf(Layout layout, Index m, Index n, Stored<T> a, T* tau) noexcept {
  count_call<T>(Routine::geqrf);
  const Index k = std::min(m, n);
  std::int64_t info = 0;
  if (k == 0) return info;
  with_view(layout == Layout::row_major, a, m, n, [&](auto view) {
    info = with_memory(
        nanoseconds<T>(m, n, k), [&] { return cpu::qr::FactorSizes(m, n).template scratch_bytes<T>(); },
        [&](auto& fork, Scratch<> scratch) {
          const VectorView<T> factors{tau, k};
          cpu::qr::Factorization<T, Plain, decltype(view)>(view, factors, scratch)(fork);
        });
  });
  return info;
}

template <class T>
std::int64_t orgqr(Layout layout, Index m, Index n, Index k, Stored<T> a, const T* tau) noexcept {
  count_call<T>(Routine::orgqr);
  std::int64_t info = 0;
  if (n == 0) return info;
  const bool by_rows = layout == Layout::row_major;
  with_view(by_rows, a, m, n, [&](auto q) { info = apply(WithQ::form, k, q.block(0, 0, m, k), tau, q); });
  return info;
}

template <class T>
std::int64_t ormqr(Layout layout, Side side, Trans trans, Index m, Index n, Index k, Stored<const T> a,
                   const T* tau, Stored<T> c) noexcept {
  count_call<T>(Routine::ormqr);
  std::int64_t info = 0;
  if (m == 0 || n == 0 || k == 0) return info;
  // From the right it is C^T = op(Q)^T C^T, and C^T is stored the other way.
  const bool by_rows = layout == Layout::row_major, left = side == Side::left;
  const WithQ with = (trans == Trans::no) == left ? WithQ::multiply : WithQ::multiply_transposed;
  const Index rows = left ? m : n, cols = left ? n : m;
  // The factors are only read.
  with_view<T>(by_rows, {const_cast<T*>(a.data), a.ld}, rows, k, [&](auto factors) {
    with_view(by_rows == left, c, rows, cols, [&](auto view) { info = apply(with, k, factors, tau, view); });
  });
  return info;
}

#define INSTANTIATE(T)                                                                             \
  template std::int64_t geqrf(Layout, Index, Index, Stored<T>, T*) noexcept;                       \
  template std::int64_t orgqr(Layout, Index, Index, Index, Stored<T>, const T*) noexcept;          \
  template std::int64_t ormqr(Layout, Side, Trans, Index, Index, Index, Stored<const T>, const T*, \
                              Stored<T>) noexcept
INSTANTIATE(float);
INSTANTIATE(double);
#undef INSTANTIATE

}  // namespace tallcache::blas
