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
  double exponent, residual;
};

// The exponent of y = c x^e, and its residual.
Shifted fit(const Values& x, const Values& y) {
  const PowerLaw law = fit_power_law(x, y);
  double residual = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double off = std::log(y[i]) - std::log(law.constant) - law.exponent * std::log(x[i]);
    residual += off * off;
  }
  return {law.exponent, residual};
}

Values shifted(const Values& x, double shift) {
  Values moved;
  for (double value : x) moved.push_back(value + shift);
  return moved;
}

// fitted(s).exponent for the shift s of x with the smallest residual, from almost minus the minimum of x
// to its maximum. For a polynomial whose leading and next terms are of one size, there is one minimum in
// this range.
template <class Fitted>
double best_exponent(const Values& x, const Fitted& fitted) {
  const double min = *std::ranges::min_element(x), max = *std::ranges::max_element(x);
  double low = -0.9 * min, high = max, best_shift = 0;
  Shifted best = fitted(0.0);
  for (int refinement = 0; refinement < 12; ++refinement) {
    const double step = (high - low) / 20;
    for (double shift = low; shift <= high; shift += step)
      if (const Shifted next = fitted(shift); next.residual < best.residual) best = next, best_shift = shift;
    low = std::max(-0.9 * min, best_shift - step);
    high = std::min(max, best_shift + step);
  }
  return best.exponent;
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
  const Values sizes(n.begin(), n.end()), values(y.begin(), y.end());
  Growth growth;
  if (form.power == 0) {
    if (form.exponent != 0)
      growth.exponent =
          best_exponent(sizes, [&](double shift) { return fit(shifted(sizes, shift), values); });
    return growth;
  }
  Values logarithms, rest;
  for (std::size_t i = 0; i < n.size(); ++i) {
    logarithms.push_back(std::log2(n[i]));
    rest.push_back(y[i] / std::pow(n[i], form.exponent));
  }
  growth.power =
      best_exponent(logarithms, [&](double shift) { return fit(shifted(logarithms, shift), rest); });
  if (form.exponent != 0)
    growth.exponent = best_exponent(logarithms, [&](double shift) {
      for (std::size_t i = 0; i < n.size(); ++i) rest[i] = y[i] / std::pow(logarithms[i] + shift, form.power);
      return fit(sizes, rest);
    });
  return growth;
}

}  // namespace tallcache
