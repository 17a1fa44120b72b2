// The work, the span and the expected speed-up of a function of one's own that forks through a policy.
#include <tallcache/fork.hpp>

#include <algorithm>
#include <cstdio>
#include <random>

using namespace tallcache;

void quicksort(auto& fork, unsigned* begin, unsigned* end) {  // Serial and OneTbb are such policies, too
  if (end - begin < 2000) return std::sort(begin, end);
  const unsigned pivot = begin[(end - begin) / 2];
  unsigned* const middle = std::partition(begin, end, [=](unsigned x) { return x < pivot; });
  unsigned* const right = std::partition(middle, end, [=](unsigned x) { return x == pivot; });
  fork([=, &fork] { quicksort(fork, begin, middle); }, [=, &fork] { quicksort(fork, right, end); });
}

int main() {
  static unsigned data[1'000'000];
  std::generate(std::begin(data), std::end(data), std::mt19937());
  WorkSpan<Nanoseconds> fork({.burden = measured_burden()});
  const Profile profile = fork.profile([&] { quicksort(fork, std::begin(data), std::end(data)); });
  std::printf("work %.3f ms, span %.3f ms, parallelism %.2f\n", profile.work * 1e-6, profile.span * 1e-6,
              profile.parallelism());
  for (const int processors : {2, 4, 8, 16}) {
    const SpeedupRange range = speedup_range(profile, processors);
    std::printf("speed-up on %2d processors: %.2f to %.2f\n", processors, range.low, range.high);
  }
  return std::is_sorted(std::begin(data), std::end(data)) && profile.spawns > 100 ? 0 : 1;
}
