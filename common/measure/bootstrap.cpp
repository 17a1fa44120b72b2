#include "common/measure/bootstrap.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "common/measure/statistics.hpp"

namespace tallcache {
namespace {

constexpr int resamples = 1000;

double median_of_resample(const std::vector<double>& values, std::mt19937_64& random) {
  std::uniform_int_distribution<std::size_t> any(0, values.size() - 1);
  std::vector<double> drawn(values.size());
  for (double& value : drawn) value = values[any(random)];
  return median(std::move(drawn));
}

}  // namespace

Interval bootstrap_log_ratio_of_medians(const std::vector<double>& a, const std::vector<double>& b,
                                        double level) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  if (a.empty() || b.empty()) return {nan, nan};
  std::mt19937_64 random(1);
  std::vector<double> ratios(resamples);
  for (double& ratio : ratios)
    ratio = std::log(median_of_resample(a, random) / median_of_resample(b, random));
  std::ranges::sort(ratios);
  const auto cut = static_cast<std::size_t>((1 - level) / 2 * resamples);
  return {ratios[cut], ratios[resamples - 1 - cut]};
}

}  // namespace tallcache
