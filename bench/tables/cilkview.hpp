// The slides' example of Cilkview: a parallel loop of 4 iterations inside a serial loop, and the two
// loops interchanged.
#pragma once

#include <array>

#include "common/fork/fork.hpp"

namespace tallcache {

inline constexpr Index cilkview_count = 4, cilkview_iterations = 1000000;

using CilkviewArray = std::array<long, cilkview_count>;

/// Calls work(j, i) for each iteration j of the serial and i of the parallel loop.
template <class Fork, class Work>
void cilkview_original(Fork& fork, Index iterations, const Work& work) {
  for (Index j = 0; j < iterations; ++j) fork.loop(0, cilkview_count, 1, [&work, j](Index i) { work(j, i); });
}

template <class Fork, class Work>
void cilkview_interchanged(Fork& fork, Index iterations, const Work& work) {
  fork.loop(0, cilkview_count, 1, [&work, iterations](Index i) {
    for (Index j = 0; j < iterations; ++j) work(j, i);
  });
}

/// The slides' do_work: 86 divisions with remainder, twice.
inline long cilkview_work(long k) {
  long x = 15;
  constexpr long nn = 87;
  for (long i = 1; i < nn; ++i) x = x / i + k % i;
  return x;
}

/// The slides' body of both programs: arr[i] += do_work(j i + i + j).
inline auto cilkview_body(CilkviewArray& arr) {
  return [&arr](Index j, Index i) { arr[static_cast<std::size_t>(i)] += cilkview_work(j * i + i + j); };
}

}  // namespace tallcache
