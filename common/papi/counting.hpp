// Counts events while some work runs: hardware and simulated events alike, on one thread or on all threads of
// a oneTBB arena. It takes as many passes as are needed to count each exactly, or multiplexes them in one.
#pragma once

#include <tbb/task_arena.h>

#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/papi/event_set.hpp"

namespace tallcache {

/// The count of one event that was requested.
struct Count {
  std::string event, description;
  std::optional<long long> value;  ///< absent when it could not be read
  std::string reason;              ///< why it is absent; empty when it is there
  bool multiplexed = false;        ///< PAPI's estimate from the time in which the event had a counter
};

/// How more events than the processor counts at once share its counters.
enum class Sharing {
  passes,       ///< the work is run once for each group of events: every count is exact
  multiplexed,  ///< the events take turns during one run: every count is an estimate
};

/// The events to count, and how they share the counters. A PAPI event set holds events of one component, and
/// no more of the processor's than it counts at once. Sets of different components run together in one pass.
/// Work of milliseconds is too short to multiplex: the kernel changes turns every few of them.
///
///   Counting counting({"PAPI_L1_DCM", "sde:::tallcache::L1_DCM"});
///   for (const Count& c : counting.run([&] { work(); })) print(c);
class Counting {
 public:
  using Pass = std::vector<EventGroup>;

  /// Throws Error on an event that PAPI does not know. An event that it knows but cannot count here is
  /// left out of the passes, and its reason comes with the counts. A simulated event must have been
  /// published before.
  explicit Counting(std::span<const std::string> events, Sharing sharing = Sharing::passes);
  Counting(std::initializer_list<std::string> events) : Counting(std::span(events.begin(), events.size())) {}

  /// The number of times that run() runs the work: 0 when nothing can be counted.
  int passes() const { return static_cast<int>(passes_.size()); }
  /// The events of each pass.
  std::span<const Pass> plan() const { return passes_; }

  /// Runs `work` passes() times and counts the events of this thread. The counts are in the order of the
  /// requested events. `prepare` runs before every run of the work, for example to renew inputs, and is
  /// not counted.
  std::vector<Count> run(const std::function<void()>& work, const std::function<void()>& prepare = {}) const;

  /// Runs `work` passes() times in `arena` and sums the events of all its threads, from each one's entry into
  /// the arena to its exit. This includes the search of idle threads for work. `arena` must have no other
  /// work, because a pass ends when its workers have left it. Threads of an arena that `work` creates inside
  /// are not counted.
  std::vector<Count> run(tbb::task_arena& arena, const std::function<void()>& work,
                         const std::function<void()>& prepare = {}) const;

 private:
  void multiplex(std::vector<EventGroup>& groups);
  std::vector<Count> run_passes(tbb::task_arena* arena, const std::function<void()>& work,
                                const std::function<void()>& prepare) const;

  std::vector<Count> asked_;  // each with the reason why it is in no pass, or none
  std::vector<Pass> passes_;
};

}  // namespace tallcache
