#include "common/measure/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tallcache {

double median(std::vector<double> values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto middle = values.begin() + values.size() / 2;
  std::ranges::nth_element(values, middle);
  if (values.size() % 2) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

double median_absolute_deviation(const std::vector<double>& values) {
  const double center = median(values);
  std::vector<double> deviations;
  for (double value : values) deviations.push_back(std::abs(value - center));
  return median(std::move(deviations));
}

}  // namespace tallcache
