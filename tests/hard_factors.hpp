// Factors of products that take a rounding error to its bound: mantissas of all ones, of ones behind the
// digits that a tensor core keeps, alternating ones; sums that cancel; exponents far apart.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "common/element.hpp"
#include "common/random.hpp"
#include "common/view.hpp"

namespace tallcache::test {

inline constexpr std::array<std::string_view, 5> hard_kinds{"ones", "split", "alternating", "cancelling",
                                                            "wide"};

/// Element `position` of a factor with k columns; `first`: of A, whose column is position % k. Of magnitude 1
/// to 2, but for wide, 2^-20 to 2^20.
template <class T>
T hard_element(std::string_view kind, bool first, std::uint64_t seed, std::uint64_t position,
               std::uint64_t k) {
  constexpr double ulp = Element<T>::epsilon;
  const double sign = random_bits(seed, position) & 1 ? 1 : -1;
  const auto number = [](double x) { return static_cast<T>(x); };
  if (kind == "ones") return number(sign * (2 - ulp));
  if (kind == "split") {
    // Ones from digit 12, 11 or 8 on: behind what TF32 and bfloat16 keep.
    constexpr int digits[] = {11, 11, 10, 12, 8};
    return number(1 + std::ldexp(1, -digits[random_up_to(seed + 1, position, 4)]) - ulp);
  }
  if (kind == "alternating") {
    double mantissa = 0;
    for (double digit = position % 2 ? 0.5 : 0.25; digit >= ulp; digit /= 4) mantissa += digit;
    return number(sign * (1 + mantissa));
  }
  if (kind == "cancelling") {
    // A's elements have alternate signs and B's none, so that neighbours along k cancel but for their last
    // digits.
    const double last = ulp * static_cast<double>(random_up_to(seed, position, 7));
    return number((first && position % k % 2 ? -1 : 1) * (1 + 1.0 / 3 + last));
  }
  const int exponent = static_cast<int>(random_up_to(seed + 1, position, 40)) - 20;
  return number(std::ldexp(sign * (1 + random_unit(seed + 2, position)), exponent));
}

template <class T>
void fill_hard(std::span<T> factor, std::string_view kind, bool first, std::uint64_t seed, Index k) {
  for (std::size_t i = 0; i < factor.size(); ++i)
    factor[i] = hard_element<T>(kind, first, seed, i, static_cast<std::uint64_t>(std::max<Index>(k, 1)));
}

}  // namespace tallcache::test
