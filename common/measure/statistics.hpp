// Statistics of samples.
#pragma once

#include <vector>

namespace tallcache {

/// The mean of the two middle values when their number is even; NaN of none.
double median(std::vector<double> values);
/// Median of |value - median|.
double median_absolute_deviation(const std::vector<double>& values);

}  // namespace tallcache
