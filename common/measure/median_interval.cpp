#include "common/measure/median_interval.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tallcache {

// The number of values below the median is binomial. As many are left out on each side as leaves both tails
// within what the level allows.
Interval median_interval(std::vector<double> values, double level) {
  const std::size_t n = values.size();
  double chance = std::ldexp(1.0, -static_cast<int>(n)), tail = 0;
  std::size_t out = 0;
  for (; out < n && (tail += chance) <= (1 - level) / 2; ++out)
    chance *= static_cast<double>(n - out) / static_cast<double>(out + 1);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (out == 0) return {-infinity, infinity};
  std::ranges::sort(values);
  return {values[out - 1], values[n - out]};
}

}  // namespace tallcache
