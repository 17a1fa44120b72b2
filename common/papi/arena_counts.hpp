// Event sets that run on one thread, and on every thread that works in an arena.
#pragma once

#include <tbb/task_arena.h>
#include <tbb/task_scheduler_observer.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "common/papi/event_set.hpp"

namespace tallcache {

/// The counts of one group of events, added up over the threads that counted them.
struct Tally {
  const EventGroup* group;
  std::vector<long long> sums;  ///< one an event
  std::string problem;          ///< of the first thread that could not count: the sums are not whole
};

/// The event sets of one thread, one a tally. Made, started, stopped and destroyed on that thread.
class RunningSets {
 public:
  /// `tallies` must outlive it. A set that cannot be made, started or stopped becomes its tally's problem.
  explicit RunningSets(std::vector<Tally>& tallies);
  void start();
  /// Adds the counts to the tallies; `mutex` guards them where threads share them.
  void stop(std::mutex* mutex = nullptr);

 private:
  template <class Call>
  void attempt(std::size_t i, Call&& call);

  std::vector<Tally>& tallies_;
  std::vector<std::unique_ptr<EventSet>> sets_;  // null once it has a problem
  std::vector<std::string> problems_;
};

/// Counts on each thread from its entry into `arena` to its exit: workers that come late, leave early or
/// return are counted while they are there.
class ArenaCounts : public tbb::task_scheduler_observer {
 public:
  ArenaCounts(tbb::task_arena& arena, std::vector<Tally>& tallies);
  ~ArenaCounts();

  /// Runs `work` in the arena; back when it is done and every thread has left. Workers leave within
  /// milliseconds of running out of work; one that is still there after `patience` becomes the tallies'
  /// problem.
  void run(const std::function<void()>& work);
  static constexpr std::chrono::seconds patience{10};

  void on_scheduler_entry(bool is_worker) override;
  void on_scheduler_exit(bool is_worker) override;

 private:
  tbb::task_arena& arena_;
  std::vector<Tally>& tallies_;
  std::mutex mutex_;
  std::condition_variable left_;
  std::map<std::thread::id, std::unique_ptr<RunningSets>> threads_;
  bool done_ = false;  // who comes now comes too late to do any of the work
};

}  // namespace tallcache
