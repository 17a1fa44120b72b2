// Parallel runs under the fork policy that is set.
#pragma once

#include "common/fork/any_fork.hpp"
#include "common/fork/heartbeat.hpp"
#include "common/fork/policy.hpp"
#include "common/fork/processors.hpp"

namespace tallcache {

namespace detail {
/// The program under OneTbb, in its arena of `threads` threads. Throws Error as require_threads does.
void run_one_tbb(int threads, AnyProgram program);
/// A fork under it.
void fork_one_tbb(int threads, AnyBranch f, AnyBranch g);
}  // namespace detail

/// program(fork) on `threads` threads including the caller; one thread alone would take about `foretold`
/// nanoseconds, 0: not known. Throws Error as require_threads does.
template <class Program>
void run_parallel(int threads, Program&& program, Index foretold = 0) {
  if (fork_policy() == ForkPolicy::onetbb) return detail::run_one_tbb(threads, AnyProgram(program));
  Heartbeat fork{threads, foretold};
  program(fork);
}

}  // namespace tallcache
