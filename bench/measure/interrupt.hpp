// Ctrl-C while measuring: what was measured stays, and the exit status is 128 + signal.
#pragma once

#include <string>

#include "bench/show/streams.hpp"
#include "common/error.hpp"

namespace tallcache {

/// While it lives, SIGINT and SIGTERM end the program, saying that `path` keeps what was measured.
class Interruptible {
 public:
  explicit Interruptible(const std::string& path);
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;
};

/// While it lives, the first SIGINT or SIGTERM is noted for stop_if_interrupted(); a second one ends the
/// program.
class NotedInterrupts {
 public:
  NotedInterrupts();
  ~NotedInterrupts();
  NotedInterrupts(const NotedInterrupts&) = delete;
  NotedInterrupts& operator=(const NotedInterrupts&) = delete;
};

bool is_interrupted();
/// Throws Exit once a signal was noted. Called between rounds.
void stop_if_interrupted();

/// Calls `measure`, then `show`, which prints and keeps what was measured: also where an interruption left
/// only a part of it, or nothing that could be shown.
template <class Measure, class Show>
void measure_and_show(Measure&& measure, Show&& show) {
  try {
    measure();
  } catch (const Exit&) {
    try {
      show();
    } catch (const Error&) {
    }
    throw;
  }
  show();
}

}  // namespace tallcache
