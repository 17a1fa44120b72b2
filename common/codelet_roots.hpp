// The constant roots of unity of the codelets, as the compiler computes them.
#pragma once

#include <array>
#include <numbers>

namespace tallcache {
namespace codelet_detail {
/// The Taylor series of cos (from = 0) or sin (from = 1) at 0 <= angle <= pi / 2.
constexpr long double series(long double angle, int from) {
  long double term = from ? angle : 1, sum = 0;
  for (int i = from; i < 60; i += 2) {
    sum += term;
    term *= -angle * angle / static_cast<long double>((i + 1) * (i + 2));
  }
  return sum;
}
constexpr long double cosine(int k, int n) {
  k %= n;
  if (2 * k > n) k = n - k;
  if (4 * k > n) return -cosine(n - 2 * k, 2 * n);
  if (8 * k > n)
    return series(std::numbers::pi_v<long double> * static_cast<long double>(n - 4 * k) /
                      static_cast<long double>(2 * n),
                  1);
  return series(
      2 * std::numbers::pi_v<long double> * static_cast<long double>(k) / static_cast<long double>(n), 0);
}
constexpr long double sine(int k, int n) { return cosine(4 * k + 3 * n, 4 * n); }  // cos(x - pi / 2)

template <int n>
constexpr auto table(long double (*of)(int, int)) {
  std::array<double, n> values{};
  for (int k = 0; k < n; ++k) values[static_cast<unsigned>(k)] = static_cast<double>(of(k, n));
  return values;
}
}  // namespace codelet_detail

/// cos(2 pi k / n) and sin(2 pi k / n), correctly rounded.
template <int k, int n>
inline constexpr double root_cosine = static_cast<double>(codelet_detail::cosine(k, n));
template <int k, int n>
inline constexpr double root_sine = static_cast<double>(codelet_detail::sine(k, n));
template <int n>
inline constexpr auto root_cosines = codelet_detail::table<n>(codelet_detail::cosine);
template <int n>
inline constexpr auto root_sines = codelet_detail::table<n>(codelet_detail::sine);

}  // namespace tallcache
