// Parallel runs under the fork policy that is set.
#pragma once

#include "common/fork/any_fork.hpp"
#include "common/fork/heartbeat.hpp"
#include "common/fork/one_tbb.hpp"
#include "common/fork/policy.hpp"

namespace tallcache {

/// program(fork) on `threads` threads including the caller; one thread alone would take about `foretold`
/// nanoseconds, 0: not known. Throws Error as require_threads does.
template <class Program>
void run_parallel(int threads, Program&& program, Index foretold = 0) {
  if (fork_policy() == ForkPolicy::heartbeat) {
    Heartbeat fork{threads, foretold};
    return program(fork);
  }
  in_arena(threads, [&] {
    const OneTbb one_tbb{threads};
    AnyFork fork(one_tbb);
    program(fork);
  });
}

}  // namespace tallcache
