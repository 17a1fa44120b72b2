// Schedulers that run recorded strands on several processors, in a model whose time is counted in steps.
//
//   work stealing         child first (Blumofe and Leiserson, "Scheduling multithreaded computations by work
//                         stealing", 1999): a fork leaves its second branch at the bottom of the processor's
//                         deque; one without work takes the top of a random deque, which takes a step
//   heartbeat             forks are latent, and become tasks by decide() of common/fork/decide.hpp, where a
//                         step is a nanosecond; tasks are stolen as above
//   depth first           the serial order (1DF), cut into a piece of equal steps for each processor, which
//                         runs the ready strands of its own piece in that order
//   parallel depth first  a free processor takes the ready strand that the serial order has first (Blelloch
//                         and Gibbons, "Effectively sharing a cache among threads", 2004). A strand is not
//                         interrupted, as Chen et al., "Scheduling threads for constructive cache sharing on
//                         CMPs", 2007, have it
//
// Behind a join goes on who comes last, under the two of work stealing. At equal times the processor of the
// lower number is first. Heartbeat's loops are the halves that Recorded makes of them
// (common/fork/recorded.hpp), and nothing is foretold by expect_work().
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "common/cache/strands.hpp"

namespace tallcache::cache {

enum class Scheduler { work_stealing, heartbeat, depth_first, parallel_depth_first };
inline constexpr std::array schedulers{Scheduler::work_stealing, Scheduler::heartbeat, Scheduler::depth_first,
                                       Scheduler::parallel_depth_first};

/// "work-stealing", "heartbeat", "depth-first", "parallel-depth-first".
std::string_view to_string(Scheduler);
/// Throws Error with the nearest name.
Scheduler find_scheduler(std::string_view name);

/// The processors that a schedule may have.
inline constexpr int max_processors = 256;

/// What runs the strands: it gets them in an order in which each comes behind those that it depends on,
/// and a processor's own in the order in which that runs them.
class StrandRunner {
 public:
  virtual ~StrandRunner() = default;
  /// Runs the strand on `processor`, from step `start` on. Returns the steps that it takes, at least 1.
  virtual std::uint64_t run(int processor, StrandNumber strand, std::uint64_t start) = 0;
};

struct ScheduleCounts {
  std::uint64_t steps = 0;     ///< T_P
  std::uint64_t steals = 0;    ///< strands that were taken from another processor's deque
  std::uint64_t attempts = 0;  ///< to steal, where any deque had work
  /// Strands that do not follow their predecessor in the serial order on its processor, at once (Spoonhower,
  /// Blelloch, Gibbons, Harper, "Beyond nested parallelism", 2009). Each costs an LRU cache at most as many
  /// misses as it has lines.
  std::uint64_t deviations = 0;
  friend bool operator==(const ScheduleCounts&, const ScheduleCounts&) = default;
};

/// Runs the strands. The random choices are functions of `seed` alone. Throws Error in one line where there
/// are no processors, more than max_processors, or more than strands.
ScheduleCounts schedule(const Strands&, Scheduler, int processors, std::uint64_t seed, StrandRunner&);

/// A strand of a schedule.
struct ScheduledStrand {
  std::uint64_t start;
  StrandNumber strand;
  int processor;
  friend bool operator==(const ScheduledStrand&, const ScheduledStrand&) = default;
};

/// A runner without caches, which takes a strand's own steps and keeps what it got.
class KeptSchedule : public StrandRunner {
 public:
  explicit KeptSchedule(const Strands& strands) : strands_(strands) {}
  std::uint64_t run(int processor, StrandNumber strand, std::uint64_t start) override {
    placed_.push_back({start, strand, processor});
    return strands_[strand].steps;
  }
  /// In the order of run().
  const std::vector<ScheduledStrand>& placed() const { return placed_; }

 private:
  const Strands& strands_;
  std::vector<ScheduledStrand> placed_;
};

}  // namespace tallcache::cache
