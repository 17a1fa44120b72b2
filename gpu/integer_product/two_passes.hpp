// The product of integers by transforms in two passes over memory: tiles in the registers of blocks.
#pragma once

#include "gpu/fft/two_passes.hpp"
#include "gpu/integer_product/by_transforms.hpp"

namespace tallcache::gpu::integer_product {

struct two_passes : ByTransforms<two_passes, fft::OnBlockTiles> {
  static constexpr std::string_view idea =
      "number-theoretic transforms modulo two primes at once, in two passes: tiles of columns in registers, "
      "radix 16; the Chinese remainder theorem; carries looked ahead; up to 2^23 limbs";
  static constexpr std::string_view source = "Pollard 1971; Bailey 1990";

  template <class Access>
  using Transform = fft::Passes<fft::BlockTiles, Residues, Access>;

  static bool supports(const Shape& shape) { return fits_digit_transform(shape, fft::BlockTiles::max_lg_n); }

  static std::size_t transform_scratch(Index n) { return Transform<Plain>(n).scratch(); }
  template <class Device, class Access>
  static auto transform_of(Device& device, Index n, Scratch<Access>& scratch) {
    Transform<Access> transform(n);
    transform.take(scratch);
    transform.prepare(device);
    return [&device, transform](const auto& out, const auto& in) { transform.run(device, out, in); };
  }
};

}  // namespace tallcache::gpu::integer_product
