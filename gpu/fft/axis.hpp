// Transforms along one dimension of an array.
#pragma once

#include "gpu/fft/any_size.hpp"

namespace tallcache::gpu::fft {

/// `count` transforms of n > 0 numbers each, those of transform b where the layouts say.
template <class Tiles, class T, class Access>
class Axis {
 public:
  using Transform = AnySize<Tiles, T, Access, true>;

  /// Kernels count columns in 32 bits.
  static bool supports(Index n, Index count) { return Transform::supports(n) && n * count < Index{1} << 32; }

  Axis(Index n, Index count, const BatchLayout& out, const BatchLayout& in)
      : out_(out), in_(in), transform_(n, {static_cast<unsigned>(count), is_across(in, count)}) {}

  std::size_t scratch() const { return transform_.scratch(); }
  void take(Scratch<Access>& scratch) { transform_.take(scratch); }
  template <class Device>
  void prepare(Device& device) const {
    transform_.prepare(device);
  }

  /// Not scaled. `out` is `in` or does not overlap it.
  template <class Device>
  void run(Device& device, VectorView<std::complex<T>, Access> out,
           VectorView<const std::complex<T>, Access> in, bool inverse) const {
    transform_.run(device, {complex_view(out), out_, 0, inverse}, {complex_view(in), in_, 0, inverse});
  }

 private:
  /// Neighbours in memory belong to different transforms.
  static bool is_across(const BatchLayout& layout, Index count) {
    return count > 1 && layout.distance < layout.stride;
  }

  BatchLayout out_, in_;
  Transform transform_;
};

}  // namespace tallcache::gpu::fft
