#include "common/fork/work_span.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "common/fork/heartbeat.hpp"
#include "common/fork/one_tbb.hpp"

namespace tallcache {

template <class Clock>
struct WorkSpan<Clock>::Strand {
  Profile total;
  double started = 0;
  static constinit inline thread_local Strand* current = nullptr;

  void run(AnyBranch branch) {
    struct Running {
      Strand& self;
      Strand* const before = std::exchange(current, &self);
      ~Running() {
        self.stop();
        current = before;
      }
    } running{*this};
    start();
    branch();
  }

  void start() { started = Clock::now(); }
  void stop() {
    const double cost = Clock::now() - started + Clock::per_strand;
    total.work += cost;
    total.span += cost;
    total.burdened_span += cost;
    ++total.strands;
    ++total.strands_on_span;
  }

  void join(const Profile& first, const Profile& second, double burden) {
    const Profile& longer = first.span >= second.span ? first : second;
    total.work += first.work + second.work;
    total.span += longer.span;
    total.burdened_span += std::max(first.burdened_span, second.burdened_span + burden);
    total.spawns += first.spawns + second.spawns + 1;
    total.strands += first.strands + second.strands;
    total.strands_on_span += longer.strands_on_span;
  }
};

template <class Clock>
Profile WorkSpan<Clock>::profile_of(AnyBranch program) const {
  Strand root;
  if (options_.threads == 1)
    root.run(program);
  else
    in_arena(options_.threads, [&] { root.run(program); });
  return root.total;
}

template <class Clock>
void WorkSpan<Clock>::fork(AnyBranch f, AnyBranch g) const {
  if (!Strand::current) throw Error("a program that forks through WorkSpan runs inside its profile()");
  Strand& parent = *Strand::current;
  parent.stop();
  Strand first, second;
  // The destructor runs on exceptions too: the handler continues in this strand.
  struct Join {
    Strand &parent, &first, &second;
    double burden;
    ~Join() {
      parent.join(first.total, second.total, burden);
      parent.start();
    }
  } join{parent, first, second, options_.burden};
  const auto run_first = [&] { first.run(f); };
  const auto run_second = [&] { second.run(g); };
  // A thread that waits for a stolen branch may run unrelated tasks. No strand of this profile is running
  // then, and those tasks restore `current`.
  if (options_.threads == 1)
    Serial{}(run_first, run_second);
  else
    OneTbb{options_.threads}(run_first, run_second);
}

template class WorkSpan<Nanoseconds>;
template class WorkSpan<UnitCost>;

void validate(const ProfileOptions& options) {
  require_threads(options.threads);
  if (options.width < 1) throw Error("width: " + std::to_string(options.width) + " is less than 1");
  if (options.grain < 1) throw Error("grain: " + std::to_string(options.grain) + " is less than 1");
  if (!(options.burden >= 0 && std::isfinite(options.burden)))
    throw Error("burden: " + std::to_string(options.burden) + " is no cost");
}

SpeedupRange speedup_range(const Profile& profile, double p) {
  const double slowest = profile.work / p + 1.7 * (1 - 1 / p) * profile.burdened_span;
  return {profile.work / slowest, std::min(p, profile.parallelism())};
}

// By which time a fork whose branches run in parallel exceeds them, of some forks.
template <class Fork>
static double burden_of(const Fork& fork) {
  constexpr double branch = 20e3;  // long enough that a worker that is awake comes for the other one
  // The total outlasts a few of the scheduler's time slices, in case the machine is loaded.
  constexpr double patience = 100e6;
  constexpr std::size_t enough = 400;
  std::vector<double> costs;
  in_arena(2, [&] {
    const double deadline = Nanoseconds::now() + patience;
    while (costs.size() < enough && Nanoseconds::now() < deadline) {
      int slots[2] = {-1, -1};
      const auto spin = [&slots](int b) {
        slots[b] = tbb::this_task_arena::current_thread_index();
        for (const double end = Nanoseconds::now() + branch; Nanoseconds::now() < end;) continue;
      };
      const double start = Nanoseconds::now();
      fork([&] { spin(0); }, [&] { spin(1); });
      const double cost = Nanoseconds::now() - start - branch;
      if (slots[0] != slots[1]) costs.push_back(cost);  // stolen
    }
  });
  if (costs.empty()) return cilkview_burden;
  // The lower quartile leaves out the time for which a thread waits for its processor, which is no part of
  // a steal.
  const auto quartile = costs.begin() + static_cast<std::ptrdiff_t>(costs.size() / 4);
  std::ranges::nth_element(costs, quartile);
  return *quartile;
}

double measured_burden(ForkPolicy policy) {
  if (usable_threads() < 2) return cilkview_burden;
  if (policy == ForkPolicy::onetbb) {
    static const double burden = burden_of(OneTbb{2});
    return burden;
  }
  static const double burden = burden_of(Heartbeat{2});
  return burden;
}

}  // namespace tallcache
