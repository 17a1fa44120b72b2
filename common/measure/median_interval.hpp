// The median of a distribution, with an interval that assumes nothing about it.
#pragma once

#include <vector>

#include "common/measure/bootstrap.hpp"

namespace tallcache {

/// The interval that holds the median of the distribution of `values` at a level such as 0.99: two of the
/// values, by the sign test (Hollander, Wolfe, Chicken, Nonparametric Statistical Methods, 2014, section
/// 3.6). Unbounded where there are too few: 0.99 needs 8.
Interval median_interval(std::vector<double> values, double level);

}  // namespace tallcache
