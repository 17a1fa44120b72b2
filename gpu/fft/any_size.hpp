// A transform of any n as a convolution with a chirp, whose transforms are of a power of two.
#pragma once

#include <bit>

#include "gpu/fft/passes.hpp"

namespace tallcache::gpu::fft {

/// exp(-pi i j^2 / n), 0 <= j < n < 2^31.
template <class T>
TALLCACHE_INLINE Complex<T> chirp(Index j, Index n) {
  return rounded_root<T>(j * j % (2 * n), 2 * n);
}
template <class T>
TALLCACHE_INLINE Complex<T> conjugate(Complex<T> a) {
  return {a.re, -a.im};
}

inline constexpr int chirp_threads = 256;

/// The chirp of n numbers, and what a transform of m >= 2 n - 1 numbers takes it for in a convolution: its
/// conjugates around 0, divided by m, as the inverse transform must be.
struct MakeChirp {
  static constexpr int max_threads = chirp_threads;

  template <class Thread, class Numbers>
  TALLCACHE_DEVICE void operator()(const Thread& t, Numbers chirps, Numbers around) const {
    const Index j = Index{t.block().x} * max_threads + t.thread().x, n = chirps.size, m = around.size;
    if (j >= m) return;
    const Index distance = j < n ? j : m - j;
    using T = RealOf<Numbers>;
    Complex<T> number{0, 0};
    if (distance < n) number = chirp<T>(distance, n);
    if (j < n) chirps[j] = number;
    const T scale = T(1) / static_cast<T>(m);
    around[j] = {number.re * scale, -number.im * scale};
  }
};

/// to[j] = from[j] chirp[j], and zeros behind.
struct TimesChirp {
  static constexpr int max_threads = chirp_threads;

  template <class Thread, class To, class From>
  TALLCACHE_DEVICE void operator()(const Thread& t, To to, From from, From chirps) const {
    const Index j = Index{t.block().x} * max_threads + t.thread().x;
    if (j >= to.size) return;
    using Number = typename To::value_type;
    Number number{0, 0};
    if (j < from.size) number = Number(from[j]) * Number(chirps[j]);
    to[j] = number;
  }
};

/// The conjugates of the products: the transform of these is the conjugate of the inverse transform.
struct TimesTransform {
  static constexpr int max_threads = chirp_threads;

  template <class Thread, class To, class From>
  TALLCACHE_DEVICE void operator()(const Thread& t, To to, From transformed) const {
    const Index k = Index{t.block().x} * max_threads + t.thread().x;
    using Number = typename To::value_type;
    if (k < to.size) to[k] = conjugate(Number(to[k]) * Number(transformed[k]));
  }
};

struct ConjugateTimesChirp {
  static constexpr int max_threads = chirp_threads;

  template <class Thread, class To, class From>
  TALLCACHE_DEVICE void operator()(const Thread& t, To to, From from, From chirps) const {
    const Index k = Index{t.block().x} * max_threads + t.thread().x;
    using Number = typename To::value_type;
    if (k < to.size) to[k] = conjugate(Number(from[k])) * Number(chirps[k]);
  }
};

/// Powers of two and products of small factors by the passes of Tiles, other n by Bluestein's convolution of
/// m = 2^l >= 2 n - 1 numbers.
template <class Tiles, class T, class Access>
struct AnySize {
  using Number = Complex<T>;
  using Own = Passes<Tiles, T, Access>;
  using ConstantNumbers = typename Own::ConstantNumbers;

  static Index convolution_size(Index n) {
    return static_cast<Index>(std::bit_ceil(static_cast<std::uint64_t>(2 * n - 1)));
  }
  static bool supports(Index n) {
    constexpr Index most = Index{1} << Tiles::max_lg_n;
    return n <= most && (Own::supports(n) || Own::supports(convolution_size(n)));
  }
  static std::size_t scratch(Index n) {
    if (n == 0) return 0;
    if (Own::supports(n)) return Own::scratch(n);
    const std::size_t bytes = convolution_size(n) * sizeof(Number);
    return checked_sum(scratch_bytes({n * sizeof(Number), bytes, bytes, bytes}),
                       Own::scratch(convolution_size(n)), "fft");
  }

  /// Phase 0 makes roots and chirps, phase 1 is the transform.
  template <int phase, class Device, class Args>
  static void call(Device& device, const Args& args) {
    const Index n = args.in.size;
    if (n == 0) return;
    const auto in = complex_view(args.in);
    const auto out = complex_view(args.out);
    auto scratch = args.scratch;
    if (!Own::supports(n)) return convolve<phase>(device, out, in, scratch);
    const Own passes(scratch, n);
    if constexpr (phase == 0)
      passes.prepare(device);
    else
      passes.run(device, out, in);
  }

 private:
  template <int phase, class Device, class Out, class In, class Memory>
  static void convolve(Device& device, const Out& out, const In& in, Memory& scratch) {
    const Index n = in.size, m = convolution_size(n);
    const Out chirps = scratch.template vector<Number>(n), transformed = scratch.template vector<Number>(m),
              padded = scratch.template vector<Number>(m), product = scratch.template vector<Number>(m);
    const Own passes(scratch, m);
    const LaunchShape of_m({grid_of(ceil_div(m, Index{chirp_threads}))}, {chirp_threads}),
        of_n({grid_of(ceil_div(n, Index{chirp_threads}))}, {chirp_threads});
    if constexpr (phase == 0) {
      passes.prepare(device);
      launch_kernel(device, MakeChirp{}, of_m, chirps, padded);
      passes.run(device, transformed, padded);
    } else {
      launch_kernel(device, TimesChirp{}, of_m, padded, in, In(chirps));
      passes.run(device, product, padded);
      launch_kernel(device, TimesTransform{}, of_m, product, In(transformed));
      passes.run(device, padded, product);
      launch_kernel(device, ConjugateTimesChirp{}, of_n, out, In(padded), In(chirps));
    }
  }
};

}  // namespace tallcache::gpu::fft
