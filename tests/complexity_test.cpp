// The exponents that the table 'cache-complexity' fits: the fit itself, and its claims.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "bench/tables/complexity.hpp"
#include "common/error.hpp"
#include "common/random.hpp"

namespace tallcache {
namespace {

TEST(PowerLaw, IsRecoveredExactly) {
  for (double exponent : {-2.0, -1.0, -0.5, 0.0, 1.0, 3.0}) {
    std::vector<double> x, y;
    for (double value : {3.0, 10.0, 200.0, 5000.0}) {
      x.push_back(value);
      y.push_back(7.5 * std::pow(value, exponent));
    }
    const PowerLaw law = fit_power_law(x, y);
    EXPECT_NEAR(law.exponent, exponent, 1e-12);
    EXPECT_NEAR(law.constant, 7.5, 1e-9);
  }
}

TEST(PowerLaw, ToleratesNoise) {
  std::vector<double> x, y;
  for (int i = 0; i < 40; ++i) {
    x.push_back(std::pow(1.2, i));
    y.push_back(5 * std::pow(x.back(), -0.5) * (0.9 + 0.2 * random_unit(1, i)));
  }
  const PowerLaw law = fit_power_law(x, y);
  EXPECT_NEAR(law.exponent, -0.5, 0.02);
  EXPECT_NEAR(law.constant, 5, 0.5);
  EXPECT_NE(law.exponent, -0.5) << "noise that changes nothing is no noise";
}

TEST(PowerLaw, RefusesWhatHasNone) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(),
                   infinite = std::numeric_limits<double>::infinity();
  const std::vector<double> x{1, 2, 3};
  for (double bad : {nan, infinite, 0.0, -1.0}) {
    EXPECT_THROW(fit_power_law(x, std::vector{1.0, bad, 3.0}), Error) << bad;
    EXPECT_THROW(fit_power_law(std::vector{1.0, bad, 3.0}, x), Error) << bad;
  }
  EXPECT_THROW(fit_power_law(x, std::vector{1.0, 2.0}), Error);
  EXPECT_THROW(fit_power_law({}, {}), Error);
  EXPECT_THROW(fit_power_law(std::vector{2.0}, std::vector{2.0}), Error);
  EXPECT_THROW(fit_power_law(std::vector{3.0, 3.0, 3.0}, x), Error);
}

class ClaimTest : public testing::TestWithParam<std::string> {};

// Every claim's exponents, fitted to counts, are those of its formula's leading term.
TEST_P(ClaimTest, HasItsExponents) {
  const Claim& claim = find_claim(GetParam());
  const Experiment experiment = run_experiment(claim);
  const Setting fitted = fit_exponents(experiment, [](const Misses& m) { return m.lru; });
  EXPECT_NEAR(fitted.n, claim.exponents.n, 0.1);
  EXPECT_NEAR(fitted.z, claim.exponents.z, 0.1);
  EXPECT_NEAR(fitted.l, claim.exponents.l, 0.1);
  for (const Misses& m : experiment.n) {
    EXPECT_LE(m.opt, m.lru) << "optimal replacement misses no more than LRU";
    EXPECT_GT(m.opt, 0);
  }
  const Spread ratio = spread_of_ratios(experiment),
               constant = spread_of_constants(experiment, claim.exponents);
  if (claim.kind == ClaimKind::growth)
    EXPECT_LE(constant.max, 1.25 * constant.min);
  else
    EXPECT_LE(ratio.max, 1.01);
}

INSTANTIATE_TEST_SUITE_P(Table, ClaimTest, testing::ValuesIn([] {
                           std::vector<std::string> rows;
                           for (const Claim& claim : claims()) rows.emplace_back(claim.row);
                           return rows;
                         }()),
                         [](const auto& info) { return std::to_string(info.index); });

TEST(Claims, ScanIsExact) {
  for (const auto& m : run_experiment(find_claim("scan of n words")).n) EXPECT_EQ(m.lru, m.formula);
}

TEST(Claims, FitTellsTheNaiveProductFromRecMult) {
  const Claim& rec_mult = find_claim("REC-MULT, m x n times n x p");
  const Experiment naive = run_experiment(find_claim("naive product, (m,n)=(m,p)(p,n)"));
  const Spread constant = spread_of_constants(naive, rec_mult.exponents);
  EXPECT_GT(constant.max, 3 * constant.min);
}

TEST(Claims, UnknownRowNamesTheNearest) { EXPECT_THROW(find_claim("scan of n word"), Error); }

}  // namespace
}  // namespace tallcache
