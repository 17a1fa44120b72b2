// The product of integers by the radix-2 transform of Stockham, a launch for each level.
#pragma once

#include "gpu/fft/butterfly_a_thread.hpp"
#include "gpu/integer_product/by_transforms.hpp"

namespace tallcache::gpu::integer_product {

struct butterfly_a_thread : ByTransforms<butterfly_a_thread> {
  static constexpr std::string_view idea =
      "number-theoretic transforms modulo two primes at once, a launch a level, a butterfly a thread; the "
      "Chinese remainder theorem; carries looked ahead; up to 2^25 limbs";
  static constexpr std::string_view source =
      "Pollard 1971; Govindaraju, Lloyd, Dotsenko, Smith, Manferdelli 2008";

  static bool supports(const Shape& shape) { return fits_digit_transform(shape); }

  static std::size_t transform_scratch(Index n) { return n * sizeof(Residues); }
  template <class Device, class Scratch>
  static auto transform_of(Device& device, Index n, Scratch& scratch) {
    const auto other = scratch.template vector<Residues>(n);
    return [&device, other](const auto& out, const auto& in) {
      fft::butterfly_a_thread::transform(device, out, in, other);
    };
  }
};

}  // namespace tallcache::gpu::integer_product
