// The fork policy of parallel runs.
#pragma once

#include "common/fork/heartbeat.hpp"
#include "common/fork/one_tbb.hpp"

namespace tallcache {

/// The policies under which a program runs in parallel.
enum class ForkPolicy { onetbb, heartbeat };

/// Sets the policy of runs that begin from now on. OneTbb is the default.
void set_fork_policy(ForkPolicy policy);
ForkPolicy fork_policy();

/// program(fork) on `threads` threads including the caller. Throws Error as require_threads does.
template <class Program>
void run_parallel(int threads, Program&& program) {
  if (fork_policy() == ForkPolicy::heartbeat) {
    Heartbeat fork{threads};
    return program(fork);
  }
  in_arena(threads, [&] {
    OneTbb fork{threads};
    program(fork);
  });
}

}  // namespace tallcache
