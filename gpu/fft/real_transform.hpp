// The transforms of n real numbers: those of an even n are complex ones of n / 2 numbers (real.hpp), those of
// an odd n are widened.
#pragma once

#include "gpu/fft/any_size.hpp"
#include "gpu/fft/real.hpp"

namespace tallcache::gpu::fft {

/// `count` transforms of n > 0 real numbers each, of n / 2 + 1 complex ones. Arrays are contiguous.
template <class Tiles, class T, class Access>
class RealTransform {
 public:
  using Complex = std::complex<T>;
  using Numbers = VectorView<Complex, Access>;
  using ConstantNumbers = VectorView<const Complex, Access>;
  using Transform = AnySize<Tiles, T, Access, true>;

  /// How many numbers a complex transform has.
  static Index complex_size(Index n) { return n % 2 ? n : n / 2; }
  /// Kernels count columns in 32 bits.
  static bool supports(Index n, Index count) {
    return Transform::supports(complex_size(n)) && complex_size(n) * count < Index{1} << 32;
  }

  RealTransform(Index n, Index count)
      : n_(n), count_(count), transform_(complex_size(n), {static_cast<unsigned>(count)}) {}

  Index outputs() const { return (n_ / 2 + 1) * count_; }

  std::size_t scratch() const {
    return checked_sum(transform_.scratch(), scratch_bytes({own_size() * sizeof(Complex)}), "fft");
  }
  void take(Scratch<Access>& scratch) {
    transform_.take(scratch);
    own_ = scratch.template vector<Complex>(own_size());
  }
  template <class Device>
  void prepare(Device& device) const {
    transform_.prepare(device);
    if (n_ % 2 == 0) start<MakeRealRoots>(device, own_size(), complex_view(own_), n_);
  }

  /// `out` and `in` do not overlap.
  template <class Device>
  void forward(Device& device, Numbers out, VectorView<const T, Access> in) const {
    const Index half = n_ / 2;
    if (n_ % 2) {
      start<WidenReals>(device, n_ * count_, complex_view(own_), in);
      run(device, own_, n_, own_, n_, false);
      start<KeepHalf>(device, outputs(), complex_view(out.block(0, outputs())), constant(own_), n_);
      return;
    }
    run(device, out, half + 1, as_numbers(in), half, false);
    start<SplitReals>(device, (half / 2 + 1) * count_, complex_view(out), constant(own_), half, count_);
  }

  /// The inverse, not scaled.
  template <class Device>
  void inverse(Device& device, VectorView<T, Access> out, ConstantNumbers in) const {
    const Index half = n_ / 2;
    if (n_ % 2) {
      start<MirrorHalf>(device, n_ * count_, complex_view(own_), complex_view(in), n_);
      run(device, own_, n_, own_, n_, true);
      start<RealParts>(device, n_ * count_, out.block(0, n_ * count_), constant(own_));
      return;
    }
    const Numbers numbers = as_numbers(out);
    start<JoinReals>(device, (half / 2 + 1) * count_, complex_view(numbers), complex_view(in), constant(own_),
                     half, count_);
    run(device, numbers, half, numbers, half, true);
  }

 private:
  /// Roots, or the complex numbers of an odd n.
  Index own_size() const { return n_ % 2 ? n_ * count_ : n_ / 4 + 1; }

  template <class Device>
  void run(Device& device, const Numbers& out, Index out_distance, ConstantNumbers in, Index in_distance,
           bool inverse) const {
    transform_.run(device, {complex_view(out), {1, out_distance}, 0, inverse},
                   {complex_view(in), {1, in_distance}, 0, inverse});
  }

  static auto constant(const Numbers& numbers) { return complex_view(ConstantNumbers(numbers)); }
  Numbers as_numbers(const VectorView<T, Access>& reals) const {
    return VectorView<Complex>{reinterpret_cast<Complex*>(reals.data), n_ / 2 * count_}.with(reals.access());
  }
  ConstantNumbers as_numbers(const VectorView<const T, Access>& reals) const {
    return VectorView<const Complex>{reinterpret_cast<const Complex*>(reals.data), n_ / 2 * count_}.with(
        reals.access());
  }

  template <class Kernel, class Device, class... Args>
  static void start(Device& device, Index threads, const Args&... args) {
    launch_kernel(device, Kernel{}, {{grid_of(ceil_div(threads, Index{real_threads}))}, {real_threads}},
                  args...);
  }

  Index n_, count_;
  Transform transform_;
  Numbers own_{};
};

}  // namespace tallcache::gpu::fft
