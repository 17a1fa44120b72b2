// The bootstrap: intervals from samples of any distribution.
#pragma once

#include <vector>

namespace tallcache {

struct Interval {
  double low, high;
};

/// The percentile bootstrap interval of log(median(a) / median(b)) at a level such as 0.99 (Efron,
/// Tibshirani, An Introduction to the Bootstrap, 1993, section 13.3): samples above 0, drawn anew with a
/// fixed seed. NaN when either is empty.
Interval bootstrap_log_ratio_of_medians(const std::vector<double>& a, const std::vector<double>& b,
                                        double level);

}  // namespace tallcache
