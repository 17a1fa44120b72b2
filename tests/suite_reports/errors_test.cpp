// Rounding errors: their reference in twice the precision, and what is reported of them.
#include "bench/studies/errors/errors.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <span>
#include <string>
#include <vector>

#include "bench/commands/commands.hpp"
#include "bench/suites/error_reference.hpp"
#include "tests/suite_reports/documents.hpp"

namespace tallcache::test {
namespace {

// A reference, and the factors that it puts.
template <class T>
struct Product {
  Index m, n, k;
  std::unique_ptr<ErrorReference> reference;
  std::vector<T> a, b;

  Product(Index rows, Index cols, Index inner, std::string_view input)
      : m(rows),
        n(cols),
        k(inner),
        reference(product_reference<T>({{"m", m}, {"n", n}, {"k", k}}, input, 7)),
        a(m * k),
        b(k * n) {
    std::byte* const buffers[] = {nullptr, reinterpret_cast<std::byte*>(a.data()),
                                  reinterpret_cast<std::byte*>(b.data())};
    reference->fill(buffers);
  }
  RoundingErrors errors(const std::vector<T>& c) const {
    return reference->errors(std::as_bytes(std::span(c)));
  }
  std::vector<T> in_order() const {
    std::vector<T> c(m * n);
    for (Index i = 0; i < m; ++i)
      for (Index j = 0; j < n; ++j)
        for (Index l = 0; l < k; ++l) c[i * n + j] += a[i * k + l] * b[l * n + j];
    return c;
  }
};

// The same by quadruple precision, one element after the other.
template <class T>
RoundingErrors slow_errors(const Product<T>& p, const std::vector<T>& c) {
  RoundingErrors errors{0, 0};
  for (Index i = 0; i < p.m; ++i)
    for (Index j = 0; j < p.n; ++j) {
      __float128 sum = 0, magnitude = 0;
      for (Index l = 0; l < p.k; ++l) {
        const __float128 product = static_cast<__float128>(p.a[i * p.k + l]) * p.b[l * p.n + j];
        sum += product;
        magnitude += product < 0 ? -product : product;
      }
      const __float128 distance = c[i * p.n + j] - sum;
      const auto relative = static_cast<double>((distance < 0 ? -distance : distance) / magnitude);
      const double error = relative * 2 / std::numeric_limits<T>::epsilon();
      errors.max = std::max(errors.max, error);
      errors.mean += error / static_cast<double>(p.m * p.n);
    }
  return errors;
}

template <class T>
void expect_exact(std::string_view input) {
  for (const Index k : {1, 2, 31, 1000}) {
    const Product<T> product(3, 5, k, input);
    std::vector<T> c = product.in_order();
    const RoundingErrors got = product.errors(c), expected = slow_errors(product, c);
    EXPECT_NEAR(got.max, expected.max, 1e-9 * (1 + expected.max)) << input << " k = " << k;
    EXPECT_NEAR(got.mean, expected.mean, 1e-9 * (1 + expected.mean)) << input << " k = " << k;
    EXPECT_LE(got.max, static_cast<double>(k) + 2);
    // A wrong digit shows.
    c[7] += 1000 * std::numeric_limits<T>::epsilon() * std::abs(c[7]);
    const double planted = slow_errors(product, c).max;
    EXPECT_NEAR(product.errors(c).max, planted, 1e-9 * (1 + planted));
    EXPECT_NE(product.errors(c).mean, got.mean);
  }
}

TEST(ErrorReference, IsAsExactAsQuadruplePrecision) {
  for (const std::string_view input : error_inputs) {
    expect_exact<float>(input);
    expect_exact<double>(input);
  }
}

TEST(ErrorReference, WhatIsNotFiniteHasNoError) {
  const Product<double> product(3, 5, 8, "normal");
  for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL})
    for (const std::size_t at : {0, 6, 14}) {
      std::vector<double> c = product.in_order();
      c[at] = bad;
      EXPECT_TRUE(std::isnan(product.errors(c).max)) << bad << " at " << at;
      EXPECT_TRUE(std::isnan(product.errors(c).mean));
    }
}

template <class T>
void hold_transforms_against_their_sums() {
  using Complex = std::complex<T>;
  constexpr Index n = 16;
  constexpr double unit_roundoff = std::numeric_limits<T>::epsilon() / 2;
  for (const std::string_view input : error_inputs) {
    const auto reference = fft_reference<T>({{"n", n}}, input, 7);
    std::vector<Complex> in(n), out(n);
    std::byte* const buffers[] = {nullptr, reinterpret_cast<std::byte*>(in.data())};
    reference->fill(buffers);
    double squares = 0;
    for (Index k = 0; k < n; ++k) {
      std::complex<long double> sum = 0;
      for (Index j = 0; j < n; ++j)
        sum +=
            std::complex<long double>(in[j]) *
            std::polar(1.0L, -2 * std::numbers::pi_v<long double> * static_cast<long double>(j * k % n) / n);
      out[k] = Complex(sum);
      squares += std::norm(out[k]);
    }
    const auto errors = [&] { return reference->errors(std::as_bytes(std::span(out))); };
    EXPECT_LE(errors().max, 4)
        << input;  // the outputs are rounded, some of several times the root mean square
    out[5] += static_cast<T>(1000 * unit_roundoff * std::sqrt(squares / n));
    EXPECT_NEAR(errors().max, 1000, 10) << input;
    out[5] = std::numeric_limits<T>::quiet_NaN();
    EXPECT_TRUE(std::isnan(errors().max)) << input;
  }
  EXPECT_THROW(fft_reference<T>({{"n", 12}}, "normal", 7), Error);
  EXPECT_THROW(fft_reference<T>({{"n", 0}}, "normal", 7), Error);
}

TEST(ErrorReference, TransformsAreHeldAgainstTheirSums) {
  hold_transforms_against_their_sums<double>();
  hold_transforms_against_their_sums<float>();
}

TEST(ErrorReference, InputsAreWhatTheirNamesSay) {
  const auto factor = [](std::string_view input) { return Product<double>(20, 1, 100, input).a; };
  for (const double x : factor("positive")) EXPECT_TRUE(x >= 0 && x < 1);
  double least = HUGE_VAL, most = 0, sum = 0, squares = 0;
  int negative = 0;
  for (const double x : factor("spread")) {
    least = std::min(least, std::abs(x));
    most = std::max(most, std::abs(x));
    negative += x < 0;
  }
  EXPECT_GT(most / least, 0x1p38);
  EXPECT_LT(most / least, 0x1p42);
  EXPECT_NEAR(negative, 1000, 150);
  for (const double x : factor("normal")) sum += x, squares += x * x;
  EXPECT_NEAR(sum / 2000, 0, 0.1);
  EXPECT_NEAR(squares / 2000, 1, 0.15);
  EXPECT_THROW(factor("negative"), Error);
}

Record examined(const char* variant, const Json& shape, double error, bool timed) {
  Record record{.operation = "op", .variant = variant, .backend = "cpu", .element = "float"};
  record.shape = shape, record.input = "flat", record.outcome = {Status::measured};
  if (timed)
    record.quantities = {{.name = "time", .unit = "s", .value = 0.5, .spread = 0.25},
                         {.name = "work", .unit = "flop", .value = 1e9, .origin = Origin::formula}};
  record.quantities.push_back(
      {.name = "max error", .unit = "u", .value = error, .origin = Origin::reference});
  record.quantities.push_back(
      {.name = "mean error", .unit = "u", .value = error / 2, .origin = Origin::reference});
  return record;
}

// Two rungs: the error of one variant doubles where the size is four times as large; another is wrong.
Document ladder() {
  Document document{.kind = "errors", .context = Json::object()};
  Json part{{"operation", "op"},
            {"element", "float"},
            {"backend", "cpu"},
            {"dimension", "k"},
            {"relative_to", "|x|"}};
  part["ladder"] = {{{"m", 2}, {"k", 4}}, {{"m", 2}, {"k", 16}}};
  part["timed"] = {{"m", 9}, {"k", 9}};
  part["inputs"] = {"flat"};
  for (const char* const variant : {"a", "b", "norm"})
    part["runs"].push_back(
        {{"variant", variant}, {"params", Json::object()}, {"normwise", variant == std::string("norm")}});
  document.measurements = {examined("a", part["ladder"][0], 3, false),
                           examined("a", part["ladder"][1], 6, false), examined("a", part["timed"], 5, true),
                           examined("norm", part["timed"], 500, true), examined("b", part["timed"], 5, true)};
  document.measurements.back().outcome = {Status::wrong, "c[3] is wrong"};
  document.plan.push_back(part);
  return document;
}

TEST(Errors, GrowByTheirExponent) {
  const Document document = ladder();
  const Grid grid = error_growth_grid(document, document.plan[0], "flat");
  EXPECT_EQ(grid.caption, "op float on the CPU, m = 2, flat inputs: largest error in u of |x|");
  ASSERT_EQ(grid.rows.size(), 2u);  // the one with a bound by norms alone has no ladder
  EXPECT_EQ(grid.rows[0], (std::vector<std::string>{"a", "3", "6", "0.50"}));
  EXPECT_EQ(grid.rows[1], (std::vector<std::string>{"b", "-", "-", "-"}));
}

TEST(Errors, StandBesideSpeeds) {
  const Document document = ladder();
  const Grid grid = errors_and_speeds_grid(document, document.plan[0]);
  ASSERT_EQ(grid.rows.size(), 3u);
  EXPECT_EQ(grid.columns[3].title, "GFLOP/s");
  EXPECT_EQ(grid.rows[0], (std::vector<std::string>{"a", "500 ms", "250 ms", "2", "5", "2.5"}));
  EXPECT_EQ(grid.rows[1][1], "c[3] is wrong");
  EXPECT_EQ(grid.rows[2][4], "500");
}

TEST(Errors, TheReportNamesItsSources) {
  const std::string text = find_kind("errors").full(ladder());
  for (const char* const source : {"Higham", "Castaldo"}) EXPECT_NE(text.find(source), text.npos) << source;
}

}  // namespace
}  // namespace tallcache::test
