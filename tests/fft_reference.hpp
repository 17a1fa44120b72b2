// Fourier transforms by their definition in long double, and the error that a transform may have.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <numbers>
#include <vector>

#include "common/random.hpp"
#include "cpu/tallcache/fft.hpp"

namespace tallcache::test {

template <class T>
using Numbers = std::vector<std::complex<T>>;
using Wide = std::complex<long double>;

template <class T>
Numbers<T> random_numbers(Index n, std::uint64_t seed = 1) {
  Numbers<T> x(static_cast<std::size_t>(n));
  for (std::size_t j = 0; j < x.size(); ++j)
    x[j] = {static_cast<T>(2 * random_unit(seed, 2 * j) - 1),
            static_cast<T>(2 * random_unit(seed, 2 * j + 1) - 1)};
  return x;
}

/// Along a dimension of n numbers that lie `stride` apart.
inline std::vector<Wide> along(const std::vector<Wide>& x, Index n, Index stride) {
  std::vector<Wide> out(x.size());
  for (Index at = 0; at < static_cast<Index>(x.size()); ++at) {
    const Index k = at / stride % n, first = at - k * stride;
    for (Index j = 0; j < n; ++j)
      out[static_cast<std::size_t>(at)] +=
          x[static_cast<std::size_t>(first + j * stride)] *
          std::polar<long double>(
              1, -2 * std::numbers::pi_v<long double> * static_cast<long double>(j * k % n) / n);
  }
  return out;
}

// By the definition.
template <class T>
std::vector<Wide> reference(const Numbers<T>& in) {
  const std::size_t n = in.size();
  std::vector<Wide> roots(n), out(n);
  for (std::size_t k = 0; k < n; ++k) {
    const long double angle =
        2 * std::numbers::pi_v<long double> * static_cast<long double>(k) / static_cast<long double>(n);
    roots[k] = {std::cos(angle), -std::sin(angle)};
  }
  for (std::size_t k = 0; k < n; ++k) {
    long double re = 0, im = 0;
    for (std::size_t j = 0, e = 0; j < n; ++j, e = e + k >= n ? e + k - n : e + k) {
      re += in[j].real() * roots[e].real() - in[j].imag() * roots[e].imag();
      im += in[j].real() * roots[e].imag() + in[j].imag() * roots[e].real();
    }
    out[k] = {re, im};
  }
  return out;
}

// |got - expected| / |expected|, infinite where a number is none.
template <class T>
double relative_error(const Numbers<T>& got, const std::vector<Wide>& expected) {
  long double difference = 0, norm = 0;
  if (got.size() != expected.size()) return std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < got.size(); ++k) {
    difference += std::norm(Wide(got[k]) - expected[k]);
    norm += std::norm(expected[k]);
  }
  const double error =
      norm > 0 ? static_cast<double>(std::sqrt(difference / norm)) : static_cast<double>(difference);
  return std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
}

// In the mean sqrt(lg n) roundings; a convolution of at least 2 n - 1 numbers is three transforms.
template <class T>
double bound(Index n) {
  const double lg = std::log2(static_cast<double>(n) + 1);
  return std::numeric_limits<T>::epsilon() *
         (cpu::fft::is_smooth(n) ? 0.3 + 0.35 * std::sqrt(lg) : 3 * std::sqrt(lg + 1));
}

template <class T>
Numbers<T> poisoned(Index n) {
  const T nan = std::numeric_limits<T>::quiet_NaN();
  return Numbers<T>(static_cast<std::size_t>(n), {nan, nan});
}

template <class T>
void expect_transforms(Index n) {
  const FftPlan<T> plan(n);
  const auto in = random_numbers<T>(n, static_cast<std::uint64_t>(n));
  auto expected = reference(in);
  auto out = poisoned<T>(n);
  plan.forward(out, in);
  EXPECT_LE(relative_error(out, expected), bound<T>(n)) << "n = " << n;
  auto in_place = in;
  plan.forward(in_place, in_place);
  EXPECT_EQ(std::memcmp(in_place.data(), out.data(), out.size() * sizeof out[0]), 0) << "in place, n = " << n;
  std::reverse(expected.begin() + 1, expected.end());
  plan.inverse(out, in);
  EXPECT_LE(relative_error(out, expected), bound<T>(n)) << "inverse, n = " << n;
}

}  // namespace tallcache::test
