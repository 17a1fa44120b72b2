// A PAPI event set: events of one component, counted together on the thread that made it.
#pragma once

#include <string>
#include <vector>

#include "common/papi/events.hpp"

namespace tallcache {

/// Events of one component that are counted together.
struct EventGroup {
  std::vector<Event> events;
  bool multiplexed = false;  ///< more events than the processor counts at once: they take turns
};

/// An event set is made, used and destroyed on one thread. PAPI runs one set of a component per thread at a
/// time; sets of different components (hardware and simulated) run side by side. An event that does not fit
/// is refused, except in a multiplexed set.
class EventSet {
 public:
  /// Throws Error when PAPI cannot create the event set.
  EventSet();
  ~EventSet();
  EventSet(const EventSet&) = delete;
  EventSet& operator=(const EventSet&) = delete;

  /// Multiplexes the events, all of `component`, on its counters. Must be called before any add(). Each count
  /// is then PAPI's estimate from the time in which the event had a counter; it is 0 also when it never had
  /// one. Throws Error with PAPI's reason.
  void multiplex(int component);

  /// Adds `event`. Returns empty, or PAPI's reason why the event cannot be counted with those before it (or
  /// alone, when it is the first).
  std::string add(const Event& event);
  /// As add(), but also starts the set for a moment: a missing permission, or a counter that another program
  /// holds, may show only then.
  std::string admit(const Event& event);

  /// Starts counting from 0. Throws Error with PAPI's reason. Also throws when another thread counts the same
  /// software-defined event: libsde keeps one start per event for the whole process, so a second set would
  /// falsify the first.
  void start();
  /// Reads the counts since start() or reset(), in the order of add(); counting continues.
  std::vector<long long> read();
  /// Restarts the counts from 0.
  void reset();
  /// Stops counting and returns the counts since start() or reset().
  std::vector<long long> stop();

 private:
  void require(int result, const char* call) const;
  void release();

  int set_;
  std::vector<Event> events_;
  bool running_ = false;
};

}  // namespace tallcache
