// A power law fitted to measurements: the exponent of a count of misses in n, Z or L.
#pragma once

#include <span>

namespace tallcache {

/// y = constant x^exponent.
struct PowerLaw {
  double exponent, constant;
};

/// Fits by least squares in log x, log y. Throws Error unless there are as many x as y, all of them positive
/// and finite, and at least two different x.
PowerLaw fit_power_law(std::span<const double> x, std::span<const double> y);

}  // namespace tallcache
