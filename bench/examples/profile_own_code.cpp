// Your own program under the work/span profiler. It forks through a policy, here for the two sides of a
// quicksort. Serial, OneTbb and WorkSpan are such policies, so that one text runs serially, runs in parallel
// and is profiled. It only has to link tallcache.
#include <algorithm>
#include <cstdio>
#include <vector>

#include "common/fork/work_span.hpp"
#include "common/random.hpp"

template <class Fork>
void quicksort(Fork& fork, int* begin, int* end) {
  if (end - begin < 2000) return std::sort(begin, end);
  const int pivot = begin[(end - begin) / 2];
  int* const middle = std::partition(begin, end, [pivot](int x) { return x < pivot; });
  int* const right = std::partition(middle, end, [pivot](int x) { return x == pivot; });
  fork([&fork, begin, middle] { quicksort(fork, begin, middle); },
       [&fork, right, end] { quicksort(fork, right, end); });
}

int main() {
  std::vector<int> data(1000000);
  for (std::size_t i = 0; i < data.size(); ++i)
    data[i] = static_cast<int>(tallcache::random_bits(1, i) >> 40);

  tallcache::WorkSpan<tallcache::Nanoseconds> fork({.burden = tallcache::measured_burden()});
  const tallcache::Profile profile =
      fork.profile([&] { quicksort(fork, data.data(), data.data() + data.size()); });

  std::printf("work %.3f ms, span %.3f ms, parallelism %.2f, burdened %.2f, %llu spawns\n",
              profile.work * 1e-6, profile.span * 1e-6, profile.parallelism(), profile.burdened_parallelism(),
              static_cast<unsigned long long>(profile.spawns));
  for (int processors : {2, 4, 8, 16}) {
    const tallcache::SpeedupRange range = speedup_range(profile, processors);
    std::printf("speed-up on %2d: %.2f - %.2f\n", processors, range.low, range.high);
  }
  return std::is_sorted(data.begin(), data.end()) ? 0 : 1;
}
