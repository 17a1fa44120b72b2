// Any n by Bluestein's convolution with a chirp, on the two passes of tiles in blocks.
#pragma once

#include "gpu/fft/any_size.hpp"
#include "gpu/fft/two_passes.hpp"

namespace tallcache::gpu::fft {

struct bluestein : OnBlockTiles {
  static constexpr std::string_view idea =
      "any n to 2^23: what two passes cannot divide as a convolution with a chirp of at least 2 n - 1 "
      "numbers, a power of two; applies coalescing, tiling, coarsening";
  static constexpr std::string_view source = "Bluestein 1970";
  using operations = OperationList<Fft<double>, Fft<float>>;
  static constexpr PhaseSpec phases[] = {{"roots", false, true}, {"transform"}};

  static bool supports(const Shape& shape) {
    return AnySize<BlockTiles, double, Plain>::supports(shape["n"]);
  }

  template <class Device = Launch, class T>
  static std::size_t scratch(Fft<T>, const Shape& shape, const Params&) {
    return scratch_of_any_size<BlockTiles, T>(shape["n"]);
  }

  template <int phase, class Device, class Args>
  static void call(Device& device, const Args& args, const Params&) {
    transform_any_size<BlockTiles, phase>(device, args);
  }
};

}  // namespace tallcache::gpu::fft
