#include "bench/tables/growth.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "bench/tables/power_law.hpp"
#include "common/error.hpp"

namespace tallcache {
namespace {

using Values = std::vector<double>;

struct Shifted {
  double exponent, shift, residual;
};

Shifted fit_at(const Values& x, std::span<const double> y, double shift) {
  Values moved;
  for (double value : x) moved.push_back(value + shift);
  const PowerLaw law = fit_power_law(moved, y);
  double residual = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double off = std::log(y[i]) - std::log(law.constant) - law.exponent * std::log(moved[i]);
    residual += off * off;
  }
  return {law.exponent, shift, residual};
}

// y = c (x + s)^e with the s of least residual, from almost minus the least x to the most: it has one minimum
// there for what is a polynomial with leading and next term of one size.
Shifted fit_shifted(const Values& x, std::span<const double> y) {
  const double least = *std::ranges::min_element(x), most = *std::ranges::max_element(x);
  double low = -0.9 * least, high = most;
  Shifted best = fit_at(x, y, 0);
  for (int refinement = 0; refinement < 12; ++refinement) {
    const double step = (high - low) / 20;
    for (double shift = low; shift <= high; shift += step)
      if (const Shifted next = fit_at(x, y, shift); next.residual < best.residual) best = next;
    low = std::max(-0.9 * least, best.shift - step);
    high = std::min(most, best.shift + step);
  }
  return best;
}

}  // namespace

std::string to_string(const Growth& growth) {
  const auto raised = [](double power) { return power == 1 ? "" : fmt::format("^{:.3g}", power); };
  const std::string n = growth.exponent == 0 ? "" : "n" + raised(growth.exponent);
  const std::string lg = growth.power == 0 ? "" : "lg" + raised(growth.power) + " n";
  return n.empty() && lg.empty() ? "1" : n + (n.empty() || lg.empty() ? "" : " ") + lg;
}

Growth fit_growth(std::span<const double> n, std::span<const double> y, const Growth& form) {
  if (n.size() < 4) throw Error(fmt::format("a growth needs four sizes, not {}", n.size()));
  const Values sizes(n.begin(), n.end());
  Growth growth;
  if (form.power == 0) {
    if (form.exponent != 0) growth.exponent = fit_shifted(sizes, y).exponent;
    return growth;
  }
  Values logarithms, rest;
  for (std::size_t i = 0; i < n.size(); ++i) {
    logarithms.push_back(std::log2(n[i]));
    rest.push_back(y[i] / std::pow(n[i], form.exponent));
  }
  growth.power = fit_shifted(logarithms, rest).exponent;
  if (form.exponent == 0) return growth;
  for (std::size_t i = 0; i < n.size(); ++i) rest[i] = y[i] / std::pow(logarithms[i], form.power);
  growth.exponent = fit_power_law(n, rest).exponent;
  return growth;
}

}  // namespace tallcache
