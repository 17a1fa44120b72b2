// A PAPI event set: events of one component, counted together on the thread that made it.
#pragma once

#include <string>
#include <vector>

#include "common/papi/events.hpp"

namespace tallcache {

/// Events of one component that are counted together.
struct EventGroup {
  std::vector<Event> events;
  bool multiplexed = false;  ///< more than the processor counts at once: they take turns
};

/// Made, used and destroyed on one thread. PAPI runs one set of a component per thread at a time: sets of
/// different components (hardware and simulated) run side by side. An event that does not fit is refused, but
/// in a multiplexed set.
class EventSet {
 public:
  /// Throws Error when PAPI makes no event set.
  EventSet();
  ~EventSet();
  EventSet(const EventSet&) = delete;
  EventSet& operator=(const EventSet&) = delete;

  /// To be called before any add(): the events, all of `component`, take turns on its counters, and each
  /// count is what PAPI estimates from the turns of its event; 0 also when it never had one. Throws Error
  /// with PAPI's reason.
  void multiplex(int component);

  /// Adds `event`; empty, or PAPI's reason why it does not go with those before it (or alone, when it is the
  /// first).
  std::string add(const Event& event);
  /// As add(), and starts the set for a moment: a permission that is missing, or a counter that another
  /// program holds, may show only then.
  std::string admit(const Event& event);

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
