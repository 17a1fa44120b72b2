// A number of steps in passes of several steps each, over the caller's states and working copies of them.
#pragma once

#include <algorithm>

#include "gpu/chunk.hpp"
#include "gpu/stencil/one_step.hpp"

namespace tallcache::gpu::stencil {

/// Two states, that of even times first.
template <class T, class Access>
struct StatePair {
  MatrixView<T, Access> state[2];

  MatrixView<T, Access> at(Index time) const { return state[time % 2]; }
  bool wide() const { return rows_are_chunks(state[0]) && rows_are_chunks(state[1]); }
};

/// Which of the states one step before the last a pass writes.
enum class Before : int { none, where_taken, always };

/// From the states `from`, of which the newer is that of time `begin`, to that of time `begin` + `steps` and,
/// where it is wanted, the one before.
template <class T, class Access>
struct Pass {
  StatePair<T, Access> from, to;
  Index begin;
  int steps;
  Before before;

  MatrixView<const T, Access> now() const { return from.at(begin); }
  MatrixView<const T, Access> past() const { return from.at(begin + 1); }
  MatrixView<T, Access> result() const { return to.at(begin + steps); }
  MatrixView<T, Access> result_before() const { return to.at(begin + steps + 1); }
  bool wide() const { return from.wide() && to.wide(); }
};

/// A working copy of a state has rows of whole lines of 128 bytes.
template <class T>
constexpr Index row_of_copy(Index cols) {
  constexpr Index line = 128 / sizeof(T);
  return ceil_div(cols, line) * line;
}
/// The scratch of run_passes().
template <class T>
std::size_t scratch_of_passes(Stencil<T>, const Shape& shape) {
  if (shape["steps"] < 2) return 0;
  const std::size_t rows = checked_product(shape["rows"], shape["planes"], "rows");
  const std::size_t bytes =
      checked_product(checked_product(rows, row_of_copy<T>(shape["cols"]), "grid"), sizeof(T), "grid");
  return scratch_bytes({bytes, bytes});
}

/// Whether the sizes of a grid of two or three dimensions suit kernels whose coordinates are ints.
inline bool fits_ints(const Shape& shape) {
  constexpr Index most = 1 << 30;
  const bool line = shape["rows"] == 1 && shape["planes"] == 1;
  return line || (shape["cols"] < most && shape["rows"] < most && shape["planes"] < most);
}

/// run(pass) for all steps of a grid of d dimensions, at most `depth` > 1 a pass. A pass reads one pair of
/// states and writes the other, as blocks read beyond what they write, so that the number of passes is even:
/// the last one writes the caller's states. Steps are divided evenly.
template <int d, class Device, class Args, class Run>
void run_passes(Device& device, const Args& args, Index depth, const Run& run) {
  using T = typename decltype(args.a)::value_type;
  using Access = typename decltype(args.a)::access_type;
  if (args.a.rows == 0 || args.a.cols == 0 || args.steps == 0) return;
  if (args.steps == 1) return step_points<d>(device, args, 0);
  auto scratch = args.scratch;
  const StatePair<T, Access> own{{args.a, args.b}};
  StatePair<T, Access> copies = own;
  for (auto& state : copies.state) {
    const Index row = row_of_copy<T>(args.a.cols);
    const auto elements = scratch.template vector<T>(args.a.rows * row);
    state = MatrixView<T>{elements.data, args.a.rows, args.a.cols, row}.with(elements.access());
  }
  const Index passes = (ceil_div(args.steps, depth) + 1) / 2 * 2;
  Index begin = 0;
  for (Index pass = 0; pass < passes; ++pass) {
    const auto steps = static_cast<int>((args.steps - begin) / (passes - pass));
    const Before before = pass + 1 == passes ? Before::always : Before::where_taken;
    run(Pass<T, Access>{pass % 2 ? copies : own, pass % 2 ? own : copies, begin, steps, before});
    begin += steps;
  }
}

}  // namespace tallcache::gpu::stencil
