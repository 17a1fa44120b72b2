// What products of integers by transforms have in common on the host and on devices: digits to the base 2^16
// and the sizes of their transforms.
#pragma once

#include <bit>
#include <string>

#include "common/ops/integer_product.hpp"
#include "common/residues.hpp"

namespace tallcache {

/// Digit j of the limbs, 0 <= j < 2 limbs.size, to the base 2^16.
template <class Limbs>
constexpr std::uint32_t digit_of(const Limbs& limbs, Index j) {
  const std::uint32_t limb = limbs[j / 2];
  return limb >> j % 2 * 16 & 0xffff;
}

/// The size of the cyclic convolution that holds all digits of a product of `limbs` limbs. A number of the
/// convolution is a sum of as many products of two digits as the smaller factor has, at most 2^25 (2^16 -
/// 1)^2 < Residues::modulus, so that nothing is lost.
inline Index digit_transform_size(Index limbs) {
  return static_cast<Index>(std::bit_ceil(2 * static_cast<std::size_t>(limbs)));
}

/// Whether a product has no more digits than there are roots of unity.
inline bool fits_digit_transform(const Shape& shape, int max_lg_order = Residues::max_lg_order) {
  return shape["m"] <= Index{1} << 25 && shape["n"] <= (Index{1} << (max_lg_order - 1)) - shape["m"];
}

}  // namespace tallcache
