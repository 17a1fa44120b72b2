#include "bench/tables/power_law.hpp"

#include <fmt/format.h>

#include <cmath>

#include "common/error.hpp"

namespace tallcache {

PowerLaw fit_power_law(std::span<const double> x, std::span<const double> y) {
  if (x.size() != y.size()) throw Error(fmt::format("a power law through {} x and {} y", x.size(), y.size()));
  double mean_x = 0, mean_y = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!(x[i] > 0 && y[i] > 0 && std::isfinite(x[i]) && std::isfinite(y[i])))
      throw Error(fmt::format("a power law through ({}, {}): both must be positive", x[i], y[i]));
    mean_x += std::log(x[i]) / x.size();
    mean_y += std::log(y[i]) / x.size();
  }
  double xx = 0, xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (std::log(x[i]) - mean_x) * (std::log(x[i]) - mean_x);
    xy += (std::log(x[i]) - mean_x) * (std::log(y[i]) - mean_y);
  }
  // Equal x leave rounding errors, not zero.
  if (!(xx > 1e-12)) throw Error("a power law needs two different x");
  const double exponent = xy / xx;
  return {exponent, std::exp(mean_y - exponent * mean_x)};
}

}  // namespace tallcache
