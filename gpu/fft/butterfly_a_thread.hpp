// The radix-2 transform of Stockham: a launch for each of lg n levels, a butterfly a thread.
#pragma once

#include <utility>

#include "gpu/fft/complex.hpp"

namespace tallcache::gpu::fft {

/// Joins pairs of transforms of `half` numbers to transforms of 2 half. Those of `from` that belong together
/// are n / 2 apart; the result's are neighbours, so that no level permutes.
struct Butterfly {
  static constexpr int max_threads = 256;

  template <class Thread, class To, class From>
  TALLCACHE_DEVICE void operator()(const Thread& t, To to, From from, Index half) const {
    const Index j = Index{t.block().x} * max_threads + t.thread().x, pairs = from.size / 2;
    if (j >= pairs) return;
    const Index k = j % half;
    using Number = typename To::value_type;
    const Number even = from[j], odd = from[j + pairs], turned_odd = odd * root_of<Number>(k, 2 * half);
    const Index at = 2 * (j - k) + k;
    to[at] = even + turned_odd;
    to[at + half] = even - turned_odd;
  }
};

struct butterfly_a_thread : OnGpu {
  static constexpr std::string_view idea =
      "radix 2 after Stockham: a launch a level, a butterfly a thread, its root computed; powers of "
      "two; applies occupancy, coalescing";
  static constexpr std::string_view source =
      "M11: FFT; Govindaraju, Lloyd, Dotsenko, Smith, Manferdelli 2008";
  using operations = OperationList<Fft<double>, Fft<float>>;

  static bool supports(const Shape& shape) { return is_power_of_two(shape["n"]); }

  template <class Device = Launch, class T>
  static std::size_t scratch(Fft<T>, const Shape& shape, const Params&) {
    return scratch_bytes({checked_product(shape["n"], sizeof(Complex<T>), "fft")});
  }

  template <class Device, class Args>
  static void call(Device& device, const Args& args, const Params&) {
    const Index n = args.in.size;
    if (n == 0) return;
    auto own = args.scratch;
    const auto in = complex_view(args.in);
    const auto out = complex_view(args.out), other = own.template vector<Complex<RealOfArgs<Args>>>(n);
    transform(device, out, in, other);
  }

  /// out = the transform of `in`, of any ring. `other`, none of both, is as large.
  template <class Device, class Out, class In>
  static void transform(Device& device, const Out& out, const In& in, const Out& other) {
    const Index n = in.size;
    if (n == 1) return copy_elements(device, out, in);
    const LaunchShape shape({grid_of(ceil_div(n / 2, Index{Butterfly::max_threads}))},
                            {Butterfly::max_threads});
    // The last level writes the output; those before it take turns.
    auto to = lg(n) % 2 ? out : other, next = lg(n) % 2 ? other : out;
    In from = in;
    for (Index half = 1; half < n; half *= 2) {
      launch_kernel(device, Butterfly{}, shape, to, from, half);
      from = to;
      std::swap(to, next);
    }
  }
};

}  // namespace tallcache::gpu::fft
