// Discrete Fourier transforms of float and double numbers in the memory of a GPU.
//
//   DeviceFftPlan<double> plan(n);
//   Launch launch{1, stream};
//   plan.prepare(launch, scratch);  // plan.bytes() of the device's memory, which the plan keeps
//   plan.forward(launch, {out, n}, {in, n});   // out[k] = sum over j of in[j] exp(-2 pi i j k / n)
//   plan.inverse(launch, {out, n}, {out, n});  // not scaled: out is n times in
//
// No transform is scaled. Each starts its kernels in the stream of `launch` and does not wait for them.
// Outputs are the inputs' array or do not overlap it; both begin at a multiple of a number's size. A plan's
// scratch serves one stream at a time.
//
// nvcc compiles all kernels of a plan's type, which takes minutes. Where all architectures are 90 and higher,
// as 90a is, the blocks of a cluster share long transforms; else powers of two end at 2^24, other sizes at
// 2^23. In a program without nvcc, the device may be a warp::HostDevice, the model of <tallcache/kernel.hpp>.
#pragma once

#include <complex>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "common/error.hpp"
#include "common/fft_sizes.hpp"
#include "gpu/fft/axis.hpp"
#include "gpu/fft/real_transform.hpp"
#include "gpu/fft/two_passes.hpp"
#ifdef __CUDACC__
#include "gpu/fft/clusters.cuh"
#endif

namespace tallcache {

namespace detail {
#if defined(__CUDACC__) && defined(__CUDA_ARCH_LIST__)
inline constexpr int device_fft_architectures[] = {__CUDA_ARCH_LIST__};
using DeviceFftTiles =
    std::conditional_t<(device_fft_architectures[0] >= 900), gpu::fft::ClusterTiles, gpu::fft::BlockTiles>;
#else
using DeviceFftTiles = gpu::fft::BlockTiles;
#endif

template <class T, class Access>
using DeviceFftAxis = gpu::fft::Axis<DeviceFftTiles, T, Access>;

/// `count`, if the device's transforms of n > 0 numbers can be so many. Throws Error where they cannot.
inline Index checked_device_fft(Index n, Index count) {
  if (!DeviceFftAxis<float, Plain>::supports(n, 1))
    throw Error("fft: a transform of " + std::to_string(n) + " numbers is larger than a GPU's can be");
  if (!DeviceFftAxis<float, Plain>::supports(n, count))
    throw Error("fft: " + std::to_string(count) + " transforms of " + std::to_string(n) +
                " numbers are more than 2^32 - 1 numbers");
  return count;
}

/// Throws Error unless `out` and `in` have `size` elements each, and are the same or disjoint.
template <class Out, class In>
void validate_device_fft(const Out& out, std::size_t out_size, const In& in, std::size_t in_size,
                         bool may_be_in_place) {
  const auto fits = [](const auto& view, std::size_t size) {
    if (view.size < 0 || static_cast<std::size_t>(view.size) < size)
      throw Error("fft: " + std::to_string(size) + " numbers do not fit into an array of " +
                  std::to_string(view.size));
    if (!view.data) throw Error("fft: no data");
  };
  fits(out, out_size), fits(in, in_size);
  const void *const to = out.data, *const from = in.data;
  if ((to != from || !may_be_in_place) &&
      overlap(to, out_size * sizeof(*out.data), from, in_size * sizeof(*in.data)))
    throw Error("fft: the output overlaps the input");
}

inline void expect_prepared(bool prepared) {
  if (!prepared) throw Error("fft: a plan that was not prepared");
}
}  // namespace detail

/// Transforms of complex numbers in a device's memory: of one array, of many, or along the dimensions of one.
///
/// Source: Bailey 1990; Govindaraju, Lloyd, Dotsenko, Smith, Manferdelli 2008; where n has a prime factor
/// above 127 or two above 17, Bluestein 1970.
template <class T, class Access = Plain>
class DeviceFftPlan {
 public:
  using Complex = std::complex<T>;
  using Numbers = VectorView<Complex, Access>;
  using ConstantNumbers = VectorView<const Complex, Access>;

  /// Of n numbers. Throws Error on a negative n, and on one that is too large: above.
  explicit DeviceFftPlan(Index n) : DeviceFftPlan(n, 1, 1, n) {}

  /// `count` transforms of n numbers: number i of transform c is at [c distance + i stride], in both arrays.
  /// Throws Error on strides and distances below 1, and from 2^32 numbers on.
  DeviceFftPlan(Index n, Index count, Index stride, Index distance) {
    extent_ = detail::fft_batch_extent(n, count, stride, distance);
    if (extent_ == 0) return;
    detail::fft_size(static_cast<Index>(extent_));
    const gpu::fft::BatchLayout layout{stride, distance};
    axes_.push_back({n, detail::checked_device_fft(n, count), layout, layout});
  }

  /// Of a row-major array of the given sizes, along each dimension.
  static DeviceFftPlan grid(std::initializer_list<Index> sizes) {
    DeviceFftPlan plan;
    std::size_t total = 1;
    for (const Index n : sizes) total = checked_product(detail::fft_size(n), total, "fft");
    detail::fft_size(static_cast<Index>(total));
    plan.extent_ = total;
    if (total == 0) return plan;
    Index inner = static_cast<Index>(total);
    for (const Index n : sizes) {
      inner /= n;
      if (n == 1 && !(inner == 1 && plan.axes_.empty())) continue;
      const gpu::fft::BatchLayout layout =
          inner == 1 ? gpu::fft::BatchLayout{1, n}
                     : gpu::fft::BatchLayout{inner, 1, n * inner, static_cast<unsigned>(inner)};
      const Index count = static_cast<Index>(total) / n;
      plan.axes_.push_back({n, detail::checked_device_fft(n, count), layout, layout});
    }
    return plan;
  }

  /// Of the device's memory, for tables and for what lies between two passes.
  std::size_t bytes() const {
    std::size_t bytes = 0;
    for (const auto& axis : axes_) bytes = checked_sum(bytes, axis.scratch(), "fft");
    return bytes;
  }

  /// Takes `scratch`, which must outlive the plan, and makes tables there in the stream of `device`. Throws
  /// Error where it is smaller than bytes().
  template <class Device>
  void prepare(Device& device, Scratch<Access> scratch) {
    for (auto& axis : axes_) axis.take(scratch), axis.prepare(device);
    prepared_ = true;
  }

  /// Throw Error where an array is too small, has no data or begins at no multiple of a number's size, where
  /// the arrays overlap and are not the same, and on a plan that was not prepared.
  template <class Device>
  void forward(Device& device, Numbers out, ConstantNumbers in) const {
    run(device, out, in, false);
  }
  template <class Device>
  void inverse(Device& device, Numbers out, ConstantNumbers in) const {
    run(device, out, in, true);
  }

 private:
  DeviceFftPlan() = default;

  template <class Device>
  void run(Device& device, Numbers out, ConstantNumbers in, bool inverse) const {
    if (axes_.empty()) return;
    detail::validate_device_fft(out, extent_, in, extent_, true);
    detail::expect_prepared(prepared_);
    for (const auto& axis : axes_) {
      axis.run(device, out, in, inverse);
      in = out;
    }
  }

  std::size_t extent_ = 0;
  bool prepared_ = false;
  std::vector<detail::DeviceFftAxis<T, Access>> axes_;
};

/// `count` transforms of n real numbers each: n / 2 + 1 complex ones, the others being their conjugates.
/// Arrays are contiguous: n real numbers and n / 2 + 1 complex ones for each transform. An even n takes
/// complex transforms of n / 2.
template <class T, class Access = Plain>
class DeviceRealFftPlan {
 public:
  using Complex = std::complex<T>;
  using Numbers = VectorView<Complex, Access>;
  using ConstantNumbers = VectorView<const Complex, Access>;

  /// Throws Error as DeviceFftPlan does.
  explicit DeviceRealFftPlan(Index n, Index count = 1) : n_(detail::fft_size(n)), count_(count) {
    detail::fft_size(count);
    detail::fft_size(static_cast<Index>(checked_product(n, static_cast<std::size_t>(count), "fft")));
    if (n_ == 0 || count_ == 0) return;
    detail::checked_device_fft(Transform::complex_size(n), count);
    transform_.emplace(n, count);
  }

  std::size_t bytes() const { return transform_ ? transform_->scratch() : 0; }

  /// As DeviceFftPlan::prepare.
  template <class Device>
  void prepare(Device& device, Scratch<Access> scratch) {
    if (!transform_) return;
    transform_->take(scratch);
    transform_->prepare(device);
    prepared_ = true;
  }

  /// out[k] = sum over j of in[j] exp(-2 pi i j k / n), 0 <= k <= n / 2. Throws Error as DeviceFftPlan does,
  /// and where the arrays overlap.
  template <class Device>
  void forward(Device& device, Numbers out, VectorView<const T, Access> in) const {
    if (!transform_) return;
    check(out, transform_->outputs(), in, n_ * count_);
    transform_->forward(device, out, in);
  }

  /// The inverse, not scaled: n times what forward() took. The imaginary parts of in[0] and, for an even n,
  /// of in[n / 2] are taken for 0.
  template <class Device>
  void inverse(Device& device, VectorView<T, Access> out, ConstantNumbers in) const {
    if (!transform_) return;
    check(out, n_ * count_, in, transform_->outputs());
    transform_->inverse(device, out, in);
  }

 private:
  using Transform = gpu::fft::RealTransform<detail::DeviceFftTiles, T, Access>;

  template <class Out, class In>
  void check(const Out& out, Index out_size, const In& in, Index in_size) const {
    detail::validate_device_fft(out, static_cast<std::size_t>(out_size), in,
                                static_cast<std::size_t>(in_size), false);
    detail::expect_prepared(prepared_);
  }

  Index n_, count_;
  bool prepared_ = false;
  std::optional<Transform> transform_;
};

}  // namespace tallcache
