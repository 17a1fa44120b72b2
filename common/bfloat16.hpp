// bfloat16: a float without its low 16 bits.
#pragma once

#include <bit>
#include <cstdint>

namespace tallcache {

/// 8 bits of exponent and 7 of mantissa. It is stored; sums and products are float's.
struct Bfloat16 {
  std::uint16_t bits;

  Bfloat16() = default;
  /// The nearest one, the even one of two that are equally near. A NaN stays one.
  explicit constexpr Bfloat16(float value) : bits(rounded(std::bit_cast<std::uint32_t>(value))) {}

  constexpr operator float() const { return std::bit_cast<float>(std::uint32_t{bits} << 16); }

  /// Exact, unless it overflows or is below the normal numbers.
  friend constexpr float operator*(Bfloat16 x, Bfloat16 y) {
    return static_cast<float>(x) * static_cast<float>(y);
  }

 private:
  static constexpr std::uint16_t rounded(std::uint32_t word) {
    constexpr std::uint32_t infinity = 0x7f800000;
    if ((word & 0x7fffffff) > infinity) return static_cast<std::uint16_t>(word >> 16 | 0x40);
    return static_cast<std::uint16_t>((word + 0x7fff + (word >> 16 & 1)) >> 16);
  }
};

}  // namespace tallcache
