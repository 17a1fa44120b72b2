#include "common/fork/work_span.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "common/fork/heartbeat.hpp"
#include "common/fork/one_tbb.hpp"

namespace tallcache {

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
