// The threads of large products.
//
// They are the library's own, in an arena of oneTBB that has none of oneTBB's workers: where oneTBB cannot
// start a thread, it throws out of the middle of a spawn or ends the program. They run where the host lets
// them, which is at first where the main thread may, take none of its signals but those of faults and of
// profilers, and last as long as the number of threads that is asked for.
#pragma once

#include <oneapi/tbb/task_arena.h>

namespace tallcache::blas {

struct Team {
  tbb::task_arena* arena = nullptr;
  int threads = 1;  ///< including the caller, who enters the arena where there are others
};

/// As many as could be started of `wanted` threads. What was refused is tried again a second later.
Team team_of(int wanted) noexcept;

}  // namespace tallcache::blas
