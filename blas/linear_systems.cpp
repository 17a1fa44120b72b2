// getrf, getrs, gesv, potrf, potrs, posv.
#include <cstring>

#include "blas/calls.hpp"
#include "blas/forks.hpp"
#include "blas/lapack.hpp"
#include "cpu/cholesky/cholesky_gustavson.hpp"
#include "cpu/lu/lu_pivot_toledo.hpp"

namespace tallcache::blas {
namespace {

using cpu::lu::SolveMemory;
using cpu::lu::TriangularSolve;

/// The exchanges as LAPACK numbers them.
template <class Int>
struct FromOne {
  const Int* data;
  Index size;
  Index operator[](Index i) const { return static_cast<Index>(data[i]) - 1; }
};

template <class T>
Index nanoseconds(Index m, Index n, Index k) {
  return nanoseconds_of(cpu::matmul::register_kernel<T>(), m, n, k);
}

/// The row-major view of a stored matrix of rows x cols, or of its transpose.
template <class T>
MatrixView<T> stored_view(Layout layout, Stored<T> a, Index rows, Index cols) {
  return layout == Layout::row_major ? MatrixView<T>{a.data, rows, cols, a.ld}
                                     : MatrixView<T>{a.data, cols, rows, a.ld};
}

/// The numbers of 32 bits at the front of the array, counted from 0, become numbers from 1 of its own width.
template <class Int>
void number_from_one(Int* pivots, Index size) {
  for (Index i = size - 1; i >= 0; --i) {
    std::int32_t row;
    std::memcpy(&row, reinterpret_cast<const char*>(pivots) + i * static_cast<Index>(sizeof row), sizeof row);
    const Int numbered = row + 1;
    std::memcpy(pivots + i, &numbered, sizeof numbered);
  }
}

template <Layout layout, class T>
std::int64_t factor_lu(Index m, Index n, Stored<T> a, std::int32_t* exchanges) {
  using Exchanges = VectorView<std::int32_t>;
  using Factor = cpu::lu::ToledoLu<T, Plain, Exchanges, layout>;
  std::int64_t info = 0;
  with_fork(nanoseconds<T>(m, n, std::min(m, n)) / 2, [&](auto& fork) {
    const Lease lease(bytes_of([&] { return Factor::scratch(m, n); }));
    if (lease.scratch().bytes_left() == 0) {
      info = no_memory;
      return;
    }
    Index zero_pivot = -1;
    const Factor factor(m, n, lease.scratch(), &zero_pivot);
    factor(fork, stored_view(layout, a, m, n), Exchanges{exchanges, std::min(m, n)});
    info = zero_pivot + 1;
  });
  return info;
}

/// Without a count.
template <class T, class Int>
std::int64_t factor_lu(Layout layout, Index m, Index n, Stored<T> a, Int* pivots) {
  if (m == 0 || n == 0) return 0;
  auto* const exchanges = reinterpret_cast<std::int32_t*>(pivots);
  const std::int64_t info = layout == Layout::row_major ? factor_lu<Layout::row_major>(m, n, a, exchanges)
                                                        : factor_lu<Layout::column_major>(m, n, a, exchanges);
  if (info >= 0) number_from_one(pivots, std::min(m, n));
  return info;
}

/// Solves systems of n unknowns and several right-hand sides, which stand left in the matrix's own order.
template <class T>
class Solver {
 public:
  /// run(fork, *this) solves them.
  template <class Run>
  static void with(Layout layout, Index n, Index others, Stored<const T> a, Stored<T> b, const Run& run) {
    if (n == 0 || others == 0) return;
    with_fork(nanoseconds<T>(n, n, others), [&](auto& fork) {
      const Side side = layout == Layout::row_major ? Side::left : Side::right;
      const Lease lease(bytes_of(
          [&] { return SolveMemory<T, Plain>::bytes(others, cpu::lu::solve_scratch<T>(side, n, others)); }));
      Scratch<> scratch = lease.scratch();
      Solver solver{layout, side, stored_view(layout, a, n, n), stored_view(layout, b, n, others), {}};
      if (scratch.bytes_left() > 0) solver.memory_ = SolveMemory<T, Plain>::take(scratch, others);
      run(fork, solver);
    });
  }

  /// B = op(A)^-1 B for a triangle of A. In column-major order the view has the other one, and op stays.
  template <class Fork>
  void solve(Fork& fork, Triangle triangle, Trans trans, Diagonal diagonal) const {
    if (layout_ == Layout::column_major) triangle = other(triangle);
    TriangularSolve<T, Plain>{side_, triangle, trans, diagonal, memory_, most_condition<T>}(fork, a_, b_);
  }

  template <class Fork, class Exchanges>
  void exchange(Fork& fork, Exchanges exchanges, bool backwards) const {
    layout_ == Layout::row_major ? cpu::lu::exchange_stretches(fork, b_, exchanges, 0, backwards)
                                 : cpu::lu::exchange_columns(fork, b_, exchanges, 0, backwards);
  }

 private:
  Solver(Layout layout, Side side, MatrixView<const T> a, MatrixView<T> b, SolveMemory<T, Plain> memory)
      : layout_(layout), side_(side), a_(a), b_(b), memory_(memory) {}

  Layout layout_;
  Side side_;
  MatrixView<const T> a_;
  MatrixView<T> b_;
  SolveMemory<T, Plain> memory_;
};

template <class T, class Int>
void solve_lu(Layout layout, Trans trans, Index n, Index others, Stored<const T> a, const Int* pivots,
              Stored<T> b) {
  Solver<T>::with(layout, n, others, a, b, [&](auto& fork, const Solver<T>& solver) {
    const FromOne<Int> exchanges{pivots, n};
    if (trans == Trans::no) {
      solver.exchange(fork, exchanges, false);
      solver.solve(fork, Triangle::lower, trans, Diagonal::unit);
      solver.solve(fork, Triangle::upper, trans, Diagonal::non_unit);
    } else {
      solver.solve(fork, Triangle::upper, trans, Diagonal::non_unit);
      solver.solve(fork, Triangle::lower, trans, Diagonal::unit);
      solver.exchange(fork, exchanges, true);
    }
  });
}

template <class T>
std::int64_t factor_cholesky(Layout layout, Triangle triangle, Index n, Stored<T> a) {
  if (n == 0) return 0;
  if (layout == Layout::column_major) triangle = other(triangle);  // of the view
  using Factor = cpu::cholesky::GustavsonCholesky<T, Plain>;
  std::int64_t info = 0;
  with_fork(nanoseconds<T>(n, n, n) / 6, [&](auto& fork) {
    const Lease lease(bytes_of([&] { return Factor::scratch(n); }));
    if (lease.scratch().bytes_left() == 0) {
      info = no_memory;
      return;
    }
    const Factor factor(n, lease.scratch(), triangle);
    if (const auto bad = factor(fork, MatrixView<T>{a.data, n, n, a.ld})) info = bad->at + 1;
  });
  return info;
}

template <class T>
void solve_cholesky(Layout layout, Triangle triangle, Index n, Index others, Stored<const T> a, Stored<T> b) {
  const Trans first = triangle == Triangle::lower ? Trans::no : Trans::yes;
  Solver<T>::with(layout, n, others, a, b, [&](auto& fork, const Solver<T>& solver) {
    solver.solve(fork, triangle, first, Diagonal::non_unit);
    solver.solve(fork, triangle, other(first), Diagonal::non_unit);
  });
}

}  // namespace

template <class T, class Int>
std::int64_t getrf(Layout layout, Index m, Index n, Stored<T> a, Int* pivots) noexcept {
  count_call<T>(Routine::getrf);
  return factor_lu(layout, m, n, a, pivots);
}

template <class T, class Int>
std::int64_t getrs(Layout layout, Trans trans, Index n, Index others, Stored<const T> a, const Int* pivots,
                   Stored<T> b) noexcept {
  count_call<T>(Routine::getrs);
  solve_lu(layout, trans, n, others, a, pivots, b);
  return 0;
}

template <class T, class Int>
std::int64_t gesv(Layout layout, Index n, Index others, Stored<T> a, Int* pivots, Stored<T> b) noexcept {
  count_call<T>(Routine::gesv);
  const std::int64_t info = factor_lu(layout, n, n, a, pivots);
  if (info == 0) solve_lu<T>(layout, Trans::no, n, others, {a.data, a.ld}, pivots, b);
  return info;
}

template <class T>
std::int64_t potrf(Layout layout, Triangle triangle, Index n, Stored<T> a) noexcept {
  count_call<T>(Routine::potrf);
  return factor_cholesky(layout, triangle, n, a);
}

template <class T>
std::int64_t potrs(Layout layout, Triangle triangle, Index n, Index others, Stored<const T> a,
                   Stored<T> b) noexcept {
  count_call<T>(Routine::potrs);
  solve_cholesky(layout, triangle, n, others, a, b);
  return 0;
}

template <class T>
std::int64_t posv(Layout layout, Triangle triangle, Index n, Index others, Stored<T> a,
                  Stored<T> b) noexcept {
  count_call<T>(Routine::posv);
  const std::int64_t info = factor_cholesky(layout, triangle, n, a);
  if (info == 0) solve_cholesky<T>(layout, triangle, n, others, {a.data, a.ld}, b);
  return info;
}

#define INSTANTIATE_LU(T, Int)                                                                               \
  template std::int64_t getrf(Layout, Index, Index, Stored<T>, Int*) noexcept;                               \
  template std::int64_t getrs(Layout, Trans, Index, Index, Stored<const T>, const Int*, Stored<T>) noexcept; \
  template std::int64_t gesv(Layout, Index, Index, Stored<T>, Int*, Stored<T>) noexcept
#define INSTANTIATE(T)                                                                              \
  INSTANTIATE_LU(T, std::int32_t);                                                                  \
  INSTANTIATE_LU(T, std::int64_t);                                                                  \
  template std::int64_t potrf(Layout, Triangle, Index, Stored<T>) noexcept;                         \
  template std::int64_t potrs(Layout, Triangle, Index, Index, Stored<const T>, Stored<T>) noexcept; \
  template std::int64_t posv(Layout, Triangle, Index, Index, Stored<T>, Stored<T>) noexcept
INSTANTIATE(float);
INSTANTIATE(double);
#undef INSTANTIATE
#undef INSTANTIATE_LU

}  // namespace tallcache::blas
