// The product of integers by six-step transforms: rows in shared memory between transpositions.
#pragma once

#include "gpu/fft/six_step.hpp"
#include "gpu/integer_product/by_transforms.hpp"

namespace tallcache::gpu::integer_product {

struct six_step : ByTransforms<fft::six_step> {
  static constexpr std::string_view idea =
      "number-theoretic transforms modulo two primes at once, rows in a block's shared memory, three "
      "transpositions; the Chinese remainder theorem; carries looked ahead; up to 2^23 limbs";
  static constexpr std::string_view source = "Pollard 1971; Bailey 1990";

  static bool supports(const Shape& shape) { return fits_digit_transform(shape, fft::six_step::max_lg_size); }
};

}  // namespace tallcache::gpu::integer_product
