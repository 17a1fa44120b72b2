// The product of float matrices whose elements may be truncated to TF32, 10 bits of mantissa, before they are
// multiplied. It is an operation of its own, as its results are less exact than float's: its variants are not
// compared with those of the product in float.
#pragma once

#include "common/ops/matmul.hpp"

namespace tallcache {

struct MatmulTf32 : Matmul<float> {
  static constexpr std::string_view element = Element<Tf32>::name;
  static constexpr std::string_view what =
      "C = A B as matmul of float, with the elements of A and B cut to 10 bits of mantissa before they are "
      "multiplied";

  /// Truncating two factors changes a product by 2 x 2^-10 of it. A tensor core also truncates its sums
  /// instead of rounding them.
  static Check check(const Shape& s, std::string_view input, std::uint64_t seed, const Args<>& args,
                     ErrorClass error_class = ErrorClass::standard) {
    return check_product<Tf32>(s, input, seed, args, error_class);
  }
};

}  // namespace tallcache
