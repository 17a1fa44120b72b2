// Fork policies: how an algorithm's text runs its independent parts. A policy has
//
//   fork(f, g)                      runs f and g, which are independent, and returns when both are done
//   fork.adding(f, g)               runs f and g, which add to the same view: one after the other, unless the
//                                   policy gives one of them a view of its own and adds it afterwards
//   fork.loop(begin, end, step, f)  runs f(i) for i = begin, begin + step, ... < end, all independent
//   fork.blocks(count, f)           runs f(b) for b = 0 ... count - 1, all independent, each worth a thread
//   fork.width()                    the number of blocks of an algorithm that cuts its input by number;
//                                   its scratch is indexed by block, never by thread; what a strand alone
//                                   needs it leases (local_memory.hpp)
//
// expect_work(fork, nanoseconds) tells it how long about what follows takes on one thread.
//
// A program runs in the floating-point mode of its caller on all threads: rounding direction, flushing of
// subnormal numbers, trapped exceptions. The mode is read where the program enters an arena, and where a fork
// becomes a task; the caller's is the same afterwards, and the exceptions that it had raised stay raised. A
// branch leaves the mode as it finds it: what others see of a change that a branch makes, and which
// exceptions a parallel program raises on its caller's thread, is unspecified.
//
// f and g are functions without arguments. A Part is one that also shows the views that it works on, so that
// a policy for several memories can see what each branch reads and writes.
//
// Serial is in this header, oneTBB in one_tbb.hpp, Heartbeat, which needs no grain, in heartbeat.hpp, the
// profiler in work_span.hpp, memory nodes in by_node.hpp. run_parallel() of parallel.hpp runs a program under
// the policy that was chosen.
#pragma once

#include <algorithm>
#include <tuple>
#include <utility>

#include "common/error.hpp"
#include "common/named.hpp"

namespace tallcache {

/// A branch of a fork that shows its data: body(views...). A view of const elements is only read, any other
/// is written, or added to under fork.adding(). Two branches share a view when both have the same one. The
/// body works on the views that it is called with, so that a policy may call it with copies of them
/// elsewhere.
///
///   fork(Part(product, c1, a1, b), Part(product, c2, a2, b));        // both read b
///   fork.adding(Part(product, c, a1, b1), Part(product, c, a2, b2));  // both add to c
template <class Body, class... Views>
struct Part {
  Body body;
  std::tuple<Views...> views;

  constexpr explicit Part(Body part_body, Views... part_views) : body(part_body), views(part_views...) {}
  constexpr void operator()() const { std::apply(body, views); }
};

namespace detail {
/// The leases of working memory (local_memory.hpp) that this thread holds.
inline constinit thread_local int held_leases = 0;

/// Throws Error where the strand that forks holds one: who waits at the join would keep it from others.
inline void require_no_lease() {
  if (held_leases > 0) [[unlikely]]
    throw Error("a strand forks while it has a lease of working memory");
}
}  // namespace detail

/// Serial elision: the program with its forks erased. It runs in program order.
struct Serial {
  template <class F, class G>
  constexpr void operator()(F&& f, G&& g) const {
    f();
    g();
  }
  template <class F, class G>
  constexpr void adding(F&& f, G&& g) const {
    f();
    g();
  }
  template <class Body>
  constexpr void loop(Index begin, Index end, Index step, Body&& body) const {
    for (Index i = begin; i < end; i += step) body(i);
  }
  template <class Body>
  constexpr void blocks(Index count, Body&& body) const {
    loop(0, count, 1, body);
  }
  static constexpr Index grain(Index count) { return std::max<Index>(1, count); }
  static constexpr Index width() { return 1; }
};

/// The number of iterations of a loop.
constexpr Index iterations(Index begin, Index end, Index step) {
  return begin < end ? (end - begin + step - 1) / step : 0;
}

/// A parallel loop as divide and conquer (Moreno Maza, M9): one half of the iterations is forked beside the
/// other, down to `grain` >= 1 iterations.
template <class Fork, class Body>
void loop_by_halves(Fork& fork, Index begin, Index end, Index step, Index grain, Body& body) {
  const Index count = iterations(begin, end, step);
  if (count <= grain) {
    for (Index i = begin; i < end; i += step) body(i);
    return;
  }
  const Index middle = begin + count / 2 * step;
  fork([&fork, begin, middle, step, grain, &body] { loop_by_halves(fork, begin, middle, step, grain, body); },
       [&fork, middle, end, step, grain, &body] { loop_by_halves(fork, middle, end, step, grain, body); });
}

/// What policies share that have no more than forks and the grain of a loop, grain(count) >= 1 for `count`
/// iterations: loops are forked by halves, and what adds to one view runs in order.
template <class Policy>
struct ForksByHalves {
  template <class F, class G>
  void adding(F&& f, G&& g) const {
    f();
    g();
  }
  template <class Body>
  void loop(Index begin, Index end, Index step, Body&& body) const {
    const auto& policy = static_cast<const Policy&>(*this);
    loop_by_halves(policy, begin, end, step, policy.grain(iterations(begin, end, step)), body);
  }
  template <class Body>
  void blocks(Index count, Body&& body) const {
    loop(0, count, 1, body);
  }
};

/// Tells a policy that what follows takes about so many nanoseconds on one thread, within a factor of two. A
/// policy that waits until a program has proved long need not wait then.
template <class Fork>
void expect_work(const Fork& fork, Index nanoseconds) {
  if constexpr (requires { fork.expect_work(nanoseconds); }) fork.expect_work(nanoseconds);
}

/// A parallel loop over [0, size) in blocks of `block` >= 1: body(begin, end) for each.
template <class Fork, class Body>
void loop_blocks(Fork& fork, Index size, Index block, Body body) {
  fork.loop(0, size, block, [=](Index begin) { body(begin, std::min(begin + block, size)); });
}

/// The beginning of block `b` of `blocks` nearly equal blocks of [0, size). block_begin(size, blocks, blocks)
/// is size.
constexpr Index block_begin(Index size, Index blocks, Index b) {
  return size / blocks * b + std::min(b, size % blocks);
}

}  // namespace tallcache
