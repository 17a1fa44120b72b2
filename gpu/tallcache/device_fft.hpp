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

#include <array>
#include <complex>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "common/error.hpp"
#include "common/fft_sizes.hpp"
#include "gpu/fft/any_size.hpp"
#include "gpu/fft/real.hpp"
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

/// Transforms along one dimension of an array.
template <class T, class Access>
class DeviceFftAxis {
 public:
  using Transform = gpu::fft::AnySize<DeviceFftTiles, T, Access, true>;

  DeviceFftAxis(Index n, Index count, const gpu::fft::BatchLayout& out, const gpu::fft::BatchLayout& in)
      : out_(out),
        in_(in),
        transform_(checked(n, count), {static_cast<unsigned>(count), is_across(in, count)}) {}

  std::size_t bytes() const { return transform_.scratch(); }

  template <class Device>
  void prepare(Device& device, Scratch<Access>& scratch) {
    transform_.take(scratch);
    transform_.prepare(device);
  }

  template <class Device>
  void run(Device& device, VectorView<std::complex<T>, Access> out,
           VectorView<const std::complex<T>, Access> in, bool inverse) const {
    transform_.run(device, {gpu::fft::complex_view(out), out_, 0, inverse},
                   {gpu::fft::complex_view(in), in_, 0, inverse});
  }

 private:
  static Index checked(Index n, Index count) {
    if (!Transform::supports(n))
      throw Error("fft: a transform of " + std::to_string(n) + " numbers is larger than a GPU's can be");
    if (n * count >= Index{1} << 32)  // in 32 bits, kernels count columns
      throw Error("fft: " + std::to_string(count) + " transforms of " + std::to_string(n) +
                  " numbers are more than 2^32 - 1 numbers");
    return n;
  }
  /// Neighbours in memory belong to different transforms.
  static bool is_across(const gpu::fft::BatchLayout& layout, Index count) {
    return count > 1 && layout.distance < layout.stride;
  }

  gpu::fft::BatchLayout out_, in_;
  Transform transform_;
};

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

template <class Axes>
std::size_t device_fft_bytes(const Axes& axes) {
  std::size_t bytes = 0;
  for (const auto& axis : axes) bytes = checked_sum(bytes, axis.bytes(), "fft");
  return bytes;
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
    axes_.push_back({n, count, layout, layout});
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
      plan.axes_.push_back({n, static_cast<Index>(total) / n, layout, layout});
    }
    return plan;
  }

  /// Of the device's memory, for tables and for what lies between two passes.
  std::size_t bytes() const { return detail::device_fft_bytes(axes_); }

  /// Takes `scratch`, which must outlive the plan, and makes tables there in the stream of `device`. Throws
  /// Error where it is smaller than bytes().
  template <class Device>
  void prepare(Device& device, Scratch<Access> scratch) {
    for (auto& axis : axes_) axis.prepare(device, scratch);
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
    const Index half = n / 2;
    if (n % 2)
      plans_.push_back({n, count, {1, n}, {1, n}});
    else
      plans_.push_back({half, count, {1, half + 1}, {1, half}}),
          plans_.push_back({half, count, {1, half}, {1, half}});
  }

  std::size_t bytes() const {
    return plans_.empty() ? 0
                          : checked_sum(detail::device_fft_bytes(plans_),
                                        scratch_bytes({own_size() * sizeof(Complex)}), "fft");
  }

  /// As DeviceFftPlan::prepare.
  template <class Device>
  void prepare(Device& device, Scratch<Access> scratch) {
    if (plans_.empty()) return;
    for (auto& plan : plans_) plan.prepare(device, scratch);
    own_ = scratch.template vector<Complex>(own_size());
    if (n_ % 2 == 0) start<gpu::fft::MakeRealRoots>(device, own_size(), number_view(own_), n_);
    prepared_ = true;
  }

  /// out[k] = sum over j of in[j] exp(-2 pi i j k / n), 0 <= k <= n / 2. Throws Error as DeviceFftPlan does,
  /// and where the arrays overlap.
  template <class Device>
  void forward(Device& device, Numbers out, VectorView<const T, Access> in) const {
    if (!check(out, complex_size(), in, n_ * count_)) return;
    const Index half = n_ / 2;
    if (n_ % 2) {
      start<gpu::fft::WidenReals>(device, n_ * count_, number_view(own_), in);
      plans_[0].run(device, own_, own_, false);
      start<gpu::fft::KeepHalf>(device, complex_size(), first_numbers(out), constant(own_), n_);
      return;
    }
    plans_[0].run(device, out, as_numbers(in), false);
    start<gpu::fft::SplitReals>(device, (half / 2 + 1) * count_, number_view(out), constant(own_), half,
                                count_);
  }

  /// The inverse, not scaled: n times what forward() took. The imaginary parts of in[0] and, for an even n,
  /// of in[n / 2] are taken for 0.
  template <class Device>
  void inverse(Device& device, VectorView<T, Access> out, ConstantNumbers in) const {
    if (!check(out, n_ * count_, in, complex_size())) return;
    const Index half = n_ / 2;
    if (n_ % 2) {
      start<gpu::fft::MirrorHalf>(device, n_ * count_, number_view(own_), gpu::fft::complex_view(in), n_);
      plans_[0].run(device, own_, own_, true);
      start<gpu::fft::RealParts>(device, n_ * count_, out.block(0, n_ * count_), constant(own_));
      return;
    }
    const Numbers numbers = as_numbers(out);
    start<gpu::fft::JoinReals>(device, (half / 2 + 1) * count_, number_view(numbers),
                               gpu::fft::complex_view(in), constant(own_), half, count_);
    plans_[1].run(device, numbers, numbers, true);
  }

 private:
  Index complex_size() const { return (n_ / 2 + 1) * count_; }
  /// Roots, or the complex numbers of an odd n.
  Index own_size() const { return n_ % 2 ? n_ * count_ : n_ / 4 + 1; }

  template <class Out, class In>
  bool check(const Out& out, Index out_size, const In& in, Index in_size) const {
    if (plans_.empty()) return false;
    detail::validate_device_fft(out, static_cast<std::size_t>(out_size), in,
                                static_cast<std::size_t>(in_size), false);
    detail::expect_prepared(prepared_);
    return true;
  }

  static auto number_view(const Numbers& numbers) { return gpu::fft::complex_view(numbers); }
  static auto constant(const Numbers& numbers) { return gpu::fft::complex_view(ConstantNumbers(numbers)); }
  auto first_numbers(const Numbers& numbers) const { return number_view(numbers.block(0, complex_size())); }
  Numbers as_numbers(const VectorView<T, Access>& reals) const {
    return VectorView<Complex>{reinterpret_cast<Complex*>(reals.data), n_ / 2 * count_}.with(reals.access());
  }
  ConstantNumbers as_numbers(const VectorView<const T, Access>& reals) const {
    return VectorView<const Complex>{reinterpret_cast<const Complex*>(reals.data), n_ / 2 * count_}.with(
        reals.access());
  }

  template <class Kernel, class Device, class... Args>
  static void start(Device& device, Index threads, const Args&... args) {
    launch_kernel(
        device, Kernel{},
        {{gpu::grid_of(ceil_div(threads, Index{gpu::fft::real_threads}))}, {gpu::fft::real_threads}},
        args...);
  }

  Index n_, count_;
  bool prepared_ = false;
  std::vector<detail::DeviceFftAxis<T, Access>> plans_;  ///< of an even n, to complex numbers and from them
  Numbers own_{};
};

}  // namespace tallcache
