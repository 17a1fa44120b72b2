// Fork policies: how an algorithm's text runs its independent parts. A policy has
//
//   fork(f, g)                      runs f and g, which are independent, and returns when both are done
//   fork.loop(begin, end, step, f)  runs f(i) for i = begin, begin + step, ... < end, all independent
//   fork.width()                    the number of blocks of an algorithm that cuts its input by number;
//                                   its scratch is indexed by block, never by thread
//
// Serial is in this header, oneTBB in one_tbb.hpp, the profiler in work_span.hpp.
#pragma once

#include <algorithm>

#include "common/named.hpp"

namespace tallcache {

/// Serial elision: the program with its forks erased. It runs in program order.
struct Serial {
  template <class F, class G>
  constexpr void operator()(F&& f, G&& g) const {
    f();
    g();
  }
  template <class Body>
  constexpr void loop(Index begin, Index end, Index step, Body&& body) const {
    for (Index i = begin; i < end; i += step) body(i);
  }
  static constexpr Index width() { return 1; }
};

/// The number of iterations of a loop.
constexpr Index iterations(Index begin, Index end, Index step) {
  return begin < end ? (end - begin + step - 1) / step : 0;
}

/// A parallel loop as divide and conquer (seed M9): one half of the iterations is forked beside the other,
/// down to `grain` >= 1 iterations.
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
