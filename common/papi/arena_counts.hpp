// Event sets on one thread, and on every thread that works in an arena.
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
  std::vector<long long> sums;  ///< one for each event
  std::string error_message;    ///< of the first thread that could not count: the sums are incomplete
};

/// The event sets of one thread, one for each tally. They are made, started, stopped and destroyed on
/// that thread.
class RunningSets {
 public:
  /// `tallies` must outlive it. The error of a set that cannot be made, started or stopped is stored in
  /// its tally.
  explicit RunningSets(std::vector<Tally>& tallies);
  void start();
  /// Adds the counts to the tallies; `mutex` guards them where threads share them.
  void stop(std::mutex* mutex = nullptr);

 private:
  template <class Call>
  void attempt(std::size_t i, Call&& call);

  std::vector<Tally>& tallies_;
  std::vector<std::unique_ptr<EventSet>> sets_;  // null after an error
  std::vector<std::string> error_messages_;
};

/// Counts on each thread from its entry into `arena` to its exit. Workers that come late, leave early or
/// return are counted while they are in the arena.
class ArenaCounts : public tbb::task_scheduler_observer {
 public:
  ArenaCounts(tbb::task_arena& arena, std::vector<Tally>& tallies);
  ~ArenaCounts();

  /// Runs `work` in the arena and returns when it is done and every thread has left. Workers leave within
  /// milliseconds of running out of work. A worker that is still there after `patience` is reported as an
  /// error in the tallies.
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
  bool done_ = false;  // a thread that enters now is too late to do any of the work
};

}  // namespace tallcache
