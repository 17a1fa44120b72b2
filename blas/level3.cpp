#include "blas/level3.hpp"

#include <limits>
#include <utility>

#include "blas/calls.hpp"
#include "blas/scratch.hpp"
#include "blas/threads.hpp"
#include "blas/workers.hpp"
#include "common/fork/one_tbb.hpp"

namespace tallcache::blas {
namespace {

using cpu::matmul::detail::nanoseconds_of, cpu::matmul::detail::on_one_thread;

/// oneTBB's forks on bodies that do not throw. Where there is no memory for a task, this thread runs both
/// branches.
struct Forks {
  OneTbb one_tbb;

  template <class F, class G>
  void operator()(F&& f, G&& g) const {
    bool f_began = false, g_began = false;
    try {
      one_tbb([&] { f_began = true, f(); }, [&] { g_began = true, g(); });
    } catch (...) {
      if (!f_began) f();
      if (!g_began) g();
    }
  }

  template <class F, class G>
  void adding(F&& f, G&& g) const {
    one_tbb.adding(f, g);
  }

  template <class Body>
  void loop(Index begin, Index end, Index step, Body&& body) const {
    loop_by_halves(*this, begin, end, step, one_tbb.grain(begin, end, step), body);
  }

  Index width() const { return one_tbb.width(); }
};

/// Calls run(fork), which does not throw, with as many threads as so much work on one thread is worth.
template <class Run>
void with_fork(Index nanoseconds, const Run& run) {
  const Crew crew = crew_of(on_one_thread(nanoseconds) ? 1 : threads());
  if (crew.threads > 1) {
    bool began = false;
    try {
      in_arena(*crew.arena, [&] {
        began = true;
        Forks fork{{crew.threads}};
        run(fork);
      });
    } catch (...) {  // no memory to enter the arena
    }
    if (began) return;
  }
  Serial fork;
  run(fork);
}

/// The view of a stored matrix of which op is rows x cols.
template <class T>
MatrixView<T> view_of(Stored<T> x, Trans trans, Index rows, Index cols) {
  if (trans == Trans::yes) std::swap(rows, cols);
  return {x.data, rows, cols, x.ld};
}

template <class T>
bool is_nothing_to_do(Index m, Index n, Index k, T alpha, T beta) {
  return m == 0 || n == 0 || ((k == 0 || alpha == 0) && beta == 1);
}

/// As gemm_scratch_bytes(); more than there is where the number does not fit.
template <class T>
std::size_t scratch_of_gemm(Trans trans_a, Trans trans_b, Index m, Index n, Index k) {
  try {
    return cpu::matmul::gemm_scratch_bytes<T>(Layout::row_major, trans_a, trans_b, m, n, k);
  } catch (...) {
    return std::numeric_limits<std::size_t>::max();
  }
}

Triangle other(Triangle triangle) { return triangle == Triangle::lower ? Triangle::upper : Triangle::lower; }

}  // namespace

template <class T>
void gemm(Layout layout, Trans trans_a, Trans trans_b, Index m, Index n, Index k, T alpha, Stored<const T> a,
          Stored<const T> b, T beta, Stored<T> c) noexcept {
  // In column-major order the arrays are those of C^T = op(B)^T op(A)^T in row-major order.
  if (layout == Layout::column_major)
    return gemm(Layout::row_major, trans_b, trans_a, n, m, k, alpha, b, a, beta, c);
  count_call(std::is_same_v<T, float> ? Routine::sgemm : Routine::dgemm);
  if (is_nothing_to_do(m, n, k, alpha, beta)) return;
  const auto& kernel = cpu::matmul::register_kernel<T>();
  const cpu::matmul::detail::Packing<T> packing(kernel, m, n, k, trans_b == Trans::no, 1, {});
  const Index nanoseconds = nanoseconds_of(kernel, m, n, k);
  if (packing.one_leaf && k > 0 && alpha != 0 && on_one_thread(nanoseconds))
    return cpu::matmul::detail::multiply_unpacked<T>(kernel, trans_a, alpha, view_of(a, trans_a, m, k),
                                                     view_of(b, trans_b, k, n), beta,
                                                     view_of(c, Trans::no, m, n));
  with_fork(nanoseconds, [&](auto& fork) {
    const Lease lease(scratch_of_gemm<T>(trans_a, trans_b, m, n, k));
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
  count_call(std::is_same_v<T, float> ? Routine::sgemmt : Routine::dgemmt);
  multiply_triangle(layout, triangle, trans_a, trans_b, n, k, alpha, a, b, beta, c);
}

template <class T>
void syrk(Layout layout, Triangle triangle, Trans trans, Index n, Index k, T alpha, Stored<const T> a, T beta,
          Stored<T> c) noexcept {
  count_call(std::is_same_v<T, float> ? Routine::ssyrk : Routine::dsyrk);
  const Trans other_trans = trans == Trans::no ? Trans::yes : Trans::no;
  multiply_triangle(layout, triangle, trans, other_trans, n, k, alpha, a, a, beta, c);
}

template void gemm(Layout, Trans, Trans, Index, Index, Index, float, Stored<const float>, Stored<const float>,
                   float, Stored<float>) noexcept;
template void gemm(Layout, Trans, Trans, Index, Index, Index, double, Stored<const double>,
                   Stored<const double>, double, Stored<double>) noexcept;
template void gemmt(Layout, Triangle, Trans, Trans, Index, Index, float, Stored<const float>,
                    Stored<const float>, float, Stored<float>) noexcept;
template void gemmt(Layout, Triangle, Trans, Trans, Index, Index, double, Stored<const double>,
                    Stored<const double>, double, Stored<double>) noexcept;
template void syrk(Layout, Triangle, Trans, Index, Index, float, Stored<const float>, float,
                   Stored<float>) noexcept;
template void syrk(Layout, Triangle, Trans, Index, Index, double, Stored<const double>, double,
                   Stored<double>) noexcept;

}  // namespace tallcache::blas
