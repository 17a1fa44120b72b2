// Counting events while some work runs: hardware and simulated events alike, on one thread or on all threads
// of a oneTBB arena, in as many passes as it takes to count each exactly, or in turns during one.
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

/// What became of one event that was asked for.
struct Count {
  std::string event, description;
  std::optional<long long> value;  ///< absent when it could not be read
  std::string reason;              ///< why it is absent; empty when it is there
  bool multiplexed = false;        ///< the value is PAPI's estimate from the event's turns on a counter
};

/// What becomes of more events than the processor counts at once.
enum class Sharing {
  passes,       ///< the work is run once for each group of them: every count is exact
  multiplexed,  ///< they take turns during one run: the counts of all of them are estimates
};

/// Which events to count, and how they share the counters. One PAPI event set holds events of one component,
/// and no more of the processor's than it counts at once; sets of different components run together in one
/// pass.
/// Work of milliseconds is too short to multiplex: the kernel changes turns every few of them.
///   Counting counting({"PAPI_L1_DCM", "sde:::tallcache::L1_DCM"});
///   for (const Count& c : counting.run([&] { work(); })) ...
class Counting {
 public:
  using Pass = std::vector<EventGroup>;

  /// Throws Error on an event that PAPI does not know. One that it knows and cannot count here is left out of
  /// the passes, and its reason comes with the counts. A simulated event must have been published before.
  explicit Counting(std::span<const std::string> events, Sharing sharing = Sharing::passes);
  Counting(std::initializer_list<std::string> events) : Counting(std::span(events.begin(), events.size())) {}

  /// How often run() runs the work: 0 when nothing can be counted.
  int passes() const { return static_cast<int>(passes_.size()); }
  /// What is counted in each of them.
  std::span<const Pass> plan() const { return passes_; }

  /// Runs `work` passes() times and counts what this thread does. In the order of the events asked for. What
  /// every run of the work needs done before it, such as inputs made anew, is `prepare`: it is not counted.
  std::vector<Count> run(const std::function<void()>& work, const std::function<void()>& prepare = {}) const;

  /// Runs `work` passes() times in `arena` and counts what all its threads do, from each one's entry into the
  /// arena to its exit, added up; the search of idle threads for work is part of it. `arena` is to have no
  /// other work, because a pass ends when its workers have left it. Threads of an arena that `work` makes
  /// inside are not seen.
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
