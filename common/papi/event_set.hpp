// A PAPI event set: events of one component, counted together on the thread that made it.
#pragma once

#include <string>
#include <vector>

#include "common/papi/events.hpp"

namespace tallcache {

/// Made, used and destroyed on one thread. PAPI runs one set of a component per thread at a time: sets of
/// different components (hardware and simulated) run side by side. Never multiplexed: an event that does not
/// fit is refused.
class EventSet {
 public:
  /// Throws Error when PAPI makes no event set.
  EventSet();
  ~EventSet();
  EventSet(const EventSet&) = delete;
  EventSet& operator=(const EventSet&) = delete;

  /// Adds `event`; empty, or PAPI's reason why it does not go with those before it (or alone, when it is the
  /// first).
  std::string add(const Event& event);

  /// Counts from 0. Throws Error with PAPI's reason. libsde keeps one start per event for the whole process,
  /// so that a second set with the same software-defined event, on another thread, would falsify the first:
  /// it throws.
  void start();
  /// The counts since start() or reset(), in the order of add(); still counting.
  std::vector<long long> read();
  /// Counts from 0 again.
  void reset();
  /// The counts since start() or reset().
  std::vector<long long> stop();

 private:
  void require(int result, const char* call) const;
  void release();

  int set_;
  std::vector<Event> events_;
  bool running_ = false;
};

}  // namespace tallcache
