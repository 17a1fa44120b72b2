// Convolutions of numbers in the memory of a GPU, by Fourier transforms (device_fft.hpp).
//
//   DeviceConvolutionPlan<double> plan(m, n);
//   plan.prepare(launch, scratch);               // plan.bytes() of the device's memory, which the plan keeps
//   plan(launch, {out, m + n - 1}, {a, m}, {b, n});
#pragma once

#include <algorithm>
#include <bit>
#include <string>
#include <type_traits>

#include "device_fft.hpp"

namespace tallcache {

namespace detail {
inline constexpr int convolution_threads = 256;

/// Number k of the grid is a thread's.
template <class Thread>
TALLCACHE_INLINE Index convolution_place(const Thread& t) {
  return Index{t.block().x} * convolution_threads + t.thread().x;
}

/// to[k] = from[k], or 0 behind the last of them.
struct PadNumbers {
  static constexpr int max_threads = convolution_threads;

  template <class Thread, class To, class From>
  TALLCACHE_DEVICE void operator()(const Thread& t, To to, From from) const {
    const Index k = convolution_place(t);
    if (k < to.size) to[k] = k < from.size ? from[k] : typename To::value_type{};
  }
};

/// x[k] *= y[k] scale
struct ScaledProducts {
  static constexpr int max_threads = convolution_threads;

  template <class Thread, class X, class Y, class T>
  TALLCACHE_DEVICE void operator()(const Thread& t, X x, Y y, T scale) const {
    using Number = typename X::value_type;
    const Index k = convolution_place(t);
    if (k >= x.size) return;
    const Number product = Number(x[k]) * Number(y[k]);
    x[k] = Number{product.re * scale, product.im * scale};
  }
};
}  // namespace detail

/// The linear convolution of two sequences of m and n numbers in a device's memory, float, double or
/// std::complex of these: c[k] is the sum of a[i] b[k - i], of m + n - 1 numbers, none where m or n is 0. An
/// error is at most of about log2(m + n) units of rounding of the product of both norms.
///
/// Source: Stockham, "High-speed convolution and correlation", 1966.
template <class Number, class Access = Plain>
class DeviceConvolutionPlan {
 public:
  using Real = typename detail::RealPart<Number>::type;
  static constexpr bool is_real = std::is_same_v<Number, Real>;
  using Numbers = VectorView<Number, Access>;
  using ConstantNumbers = VectorView<const Number, Access>;

  /// Throws Error as DeviceFftPlan does.
  DeviceConvolutionPlan(Index m, Index n)
      : m_(detail::fft_size(m)), n_(detail::fft_size(n)), plan_(transform_size()) {}

  /// m + n - 1, or 0.
  Index size() const { return m_ == 0 || n_ == 0 ? 0 : m_ + n_ - 1; }

  /// Of the device's memory, for the tables of transforms, for two of them and for padded numbers.
  std::size_t bytes() const {
    const auto each = static_cast<std::size_t>(frequencies()) * sizeof(std::complex<Real>);
    return checked_sum(
        plan_.bytes(),
        scratch_bytes({each, each, static_cast<std::size_t>(transform_size()) * sizeof(Number)}),
        "convolution");
  }

  /// As DeviceFftPlan::prepare.
  template <class Device>
  void prepare(Device& device, Scratch<Access> scratch) {
    a_ = scratch.template vector<std::complex<Real>>(frequencies());
    b_ = scratch.template vector<std::complex<Real>>(frequencies());
    padded_ = scratch.template vector<Number>(transform_size());
    plan_.prepare(device, scratch);
    prepared_ = true;
  }

  /// out = the convolution of a and b. `out` may overlap them. Throws Error where an array has another size
  /// than the plan, or has no data, and on a plan that was not prepared.
  template <class Device>
  void operator()(Device& device, Numbers out, ConstantNumbers a, ConstantNumbers b) const {
    const auto fits = [](const auto& view, Index size) {
      if (view.size != size || (size > 0 && !view.data))
        throw Error("convolution: an array of " + std::to_string(view.size) + " numbers in place of " +
                    std::to_string(size));
    };
    fits(out, size()), fits(a, m_), fits(b, n_);
    if (size() == 0) return;
    detail::expect_prepared(prepared_);
    transform(device, a_, a);
    transform(device, b_, b);
    start<detail::ScaledProducts>(device, a_.size, gpu::fft::complex_view(a_), gpu::fft::complex_view(b_),
                                  Real(1) / static_cast<Real>(transform_size()));
    plan_.inverse(device, padded_, VectorView<const std::complex<Real>, Access>(a_));
    start<detail::PadNumbers>(device, out.size, words(out), words(padded_));
  }

 private:
  /// The least of 2^l, 3 2^l and 5 2^l that is even and holds the convolution.
  Index transform_size() const {
    if (size() == 0) return 0;
    const auto half = static_cast<std::uint64_t>(size() + 1) / 2;
    std::uint64_t best = std::bit_ceil(half);
    for (const std::uint64_t odd : {3, 5}) best = std::min(best, odd * std::bit_ceil(ceil_div(half, odd)));
    return static_cast<Index>(2 * best);
  }
  Index frequencies() const { return is_real && size() ? transform_size() / 2 + 1 : transform_size(); }

  /// What kernels of numbers access.
  static auto words(const auto& numbers) {
    if constexpr (is_real)
      return numbers;
    else
      return gpu::fft::complex_view(numbers);
  }

  template <class Device>
  void transform(Device& device, const VectorView<std::complex<Real>, Access>& out,
                 const ConstantNumbers& in) const {
    start<detail::PadNumbers>(device, padded_.size, words(padded_), words(in));
    plan_.forward(device, out, ConstantNumbers(padded_));
  }

  template <class Kernel, class Device, class... Args>
  static void start(Device& device, Index threads, const Args&... args) {
    constexpr Index each = detail::convolution_threads;
    launch_kernel(device, Kernel{}, {{gpu::grid_of(ceil_div(threads, each))}, {detail::convolution_threads}},
                  args...);
  }

  Index m_, n_;
  std::conditional_t<is_real, DeviceRealFftPlan<Real, Access>, DeviceFftPlan<Real, Access>> plan_;
  bool prepared_ = false;
  VectorView<std::complex<Real>, Access> a_{}, b_{};
  Numbers padded_{};
};

}  // namespace tallcache
