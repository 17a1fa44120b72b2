// How the routines run: on the library's threads where their work is worth them, in memory that is leased.
#pragma once

#include <limits>
#include <utility>

#include "blas/level3.hpp"
#include "blas/scratch.hpp"
#include "blas/threads.hpp"
#include "blas/workers.hpp"
#include "common/fork/one_tbb.hpp"

namespace tallcache::blas {

using cpu::matmul::detail::nanoseconds_of, cpu::matmul::detail::on_one_thread;

/// oneTBB's forks on bodies that do not throw. Where there is no memory for a task, this thread runs both
/// branches. A routine shares its work where that pays, in a few leaves a thread (GemmPlan::choose): a task
/// at each fork costs it little, and latent forks would gain nothing. Heartbeat makes its tasks in arenas of
/// its own, where the library's workers do not wait (workers.hpp).
struct Forks : ForksByHalves<Forks> {
  OneTbb one_tbb;

  explicit Forks(int threads) : one_tbb(threads) {}

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

  Index grain(Index count) const { return one_tbb.grain(count); }
  Index width() const { return one_tbb.width(); }
};

/// Calls run(fork), which does not throw, with as many threads as so much work on one thread is worth.
template <class Run>
void with_fork(Index nanoseconds, const Run& run) {
  const Team team = team_of(on_one_thread(nanoseconds) ? 1 : threads());
  if (team.threads > 1) {
    bool began = false;
    try {
      in_arena(*team.arena, [&] {
        began = true;
        Forks fork(team.threads);
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

/// A small triangle is inverted up to this condition number: three digits are the most that it may cost.
template <class T>
inline constexpr T most_condition = 1024;

/// bytes(); where the number does not fit, more than there is.
template <class Bytes>
std::size_t bytes_of(const Bytes& bytes) {
  try {
    return bytes();
  } catch (...) {
    return std::numeric_limits<std::size_t>::max();
  }
}

constexpr Triangle other(Triangle triangle) {
  return triangle == Triangle::lower ? Triangle::upper : Triangle::lower;
}
constexpr Side other(Side side) { return side == Side::left ? Side::right : Side::left; }
constexpr Trans other(Trans trans) { return trans == Trans::no ? Trans::yes : Trans::no; }

}  // namespace tallcache::blas
