// Fits of c n^a lg^p n: exact laws, laws with lower-order terms of the size that algorithms have, and
// bad data.
#include <gtest/gtest.h>

#include <cmath>

#include "bench/tables/growth.hpp"
#include "tests/support.hpp"

namespace tallcache::test {
namespace {

template <class F>
Growth fit(F&& f, const Growth& form, double from = 16, double to = 65536) {
  std::vector<double> n, y;
  for (double size = from; size <= to; size *= 2) {
    n.push_back(size);
    y.push_back(f(size, std::log2(size)));
  }
  return fit_growth(n, y, form);
}

void expect_growth(const Growth& got, const Growth& expected, double within) {
  EXPECT_NEAR(got.exponent, expected.exponent, within);
  EXPECT_NEAR(got.power, expected.power, within);
}

TEST(Growth, OfExactLaws) {
  for (double exponent : {0.5, 1.0, std::log2(3.0), std::log2(7.0), 3.0}) {
    const Growth form{exponent, 0};
    expect_growth(fit([=](double n, double) { return 7 * std::pow(n, exponent); }, form), form, 1e-6);
    for (double power : {1.0, 2.0, 3.0}) {
      const Growth both{exponent, power};
      const auto law = [=](double n, double lg) { return 3 * std::pow(n, exponent) * std::pow(lg, power); };
      expect_growth(fit(law, both), both, 1e-4);
    }
  }
  for (double power : {1.0, 2.0, 3.0}) {
    const Growth form{0, power};
    expect_growth(fit([=](double, double lg) { return 5 * std::pow(lg, power); }, form), form, 1e-4);
  }
}

TEST(Growth, WithLowerOrderTerms) {
  expect_growth(fit([](double, double lg) { return 2 * lg * lg + 9 * lg + 4; }, {0, 2}), {0, 2}, 0.1);
  expect_growth(fit([](double, double lg) { return lg * lg * lg + 6 * lg * lg + 5 * lg; }, {0, 3}), {0, 3},
                0.15);
  expect_growth(fit([](double n, double lg) { return n * lg + 4 * n; }, {1, 1}), {1, 1}, 0.1);
  expect_growth(fit([](double n, double) { return n * n * n + 10 * n * n; }, {3, 0}, 8, 256), {3, 0}, 0.05);
  const double lg7 = std::log2(7.0);
  expect_growth(fit([=](double n, double) { return 7 * std::pow(n, lg7) - 6 * n * n; }, {lg7, 0}, 8, 256),
                {lg7, 0}, 0.05);
}

// Laws of another form are detected: no shift turns n into a logarithm, or lg n into its square.
TEST(Growth, TellsLawsApart) {
  EXPECT_GT(fit([](double n, double) { return n; }, {0, 2}).power, 3);
  EXPECT_LT(fit([](double, double lg) { return 3 * lg + 5; }, {0, 2}).power, 1.2);
  EXPECT_GT(fit([](double, double lg) { return lg * lg * lg; }, {0, 2}).power, 2.8);
  EXPECT_LT(fit([](double n, double lg) { return n * n * lg; }, {3, 0}).exponent, 2.5);
}

TEST(Growth, Prints) {
  EXPECT_EQ(to_string(Growth{3, 0}), "n^3");
  EXPECT_EQ(to_string(Growth{1, 1}), "n lg n");
  EXPECT_EQ(to_string(Growth{0, 2.04}), "lg^2.04 n");
  EXPECT_EQ(to_string(Growth{std::log2(7.0), 0}), "n^2.81");
  EXPECT_EQ(to_string(Growth{1.02, 0.97}), "n^1.02 lg^0.97 n");
  EXPECT_EQ(to_string(Growth{}), "1");
}

TEST(Growth, RefusesBadData) {
  const std::vector<double> n{1, 2, 4, 8}, y{1, 2, 3, 4}, zero{1, 0, 3, 4};
  expect_error([&] { fit_growth(std::span(n).first(3), std::span(y).first(3), {1, 0}); }, "four sizes");
  expect_error([&] { fit_growth(n, zero, {1, 0}); }, "must be positive");
}

}  // namespace
}  // namespace tallcache::test
