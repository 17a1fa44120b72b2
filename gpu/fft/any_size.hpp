// A transform of any n as a convolution with a chirp, whose transforms are of a power of two.
#pragma once

#include <bit>

#include "gpu/fft/passes.hpp"

namespace tallcache::gpu::fft {

/// exp(-pi i j^2 / n), 0 <= j < n < 2^31.
template <class T>
TALLCACHE_INLINE Complex<T> chirp(Index j, Index n) {
  return rounded_root<Complex<T>>(j * j % (2 * n), 2 * n);
}

/// The chirp of n numbers, and its numbers around 0 among m >= 2 n - 1, divided by m, as the inverse
/// transform must be.
struct MakeChirp {
  static constexpr int max_threads = 256;

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
    around[j] = {number.re * scale, number.im * scale};
  }
};

/// The transform of an even sequence is even: numbers k and m - k become their mean, so that their
/// rounding errors are halved where they differ (TUNING.md).
struct MakeEven {
  static constexpr int max_threads = 256;

  template <class Thread, class Numbers>
  TALLCACHE_DEVICE void operator()(const Thread& t, Numbers x) const {
    const Index k = Index{t.block().x} * max_threads + t.thread().x, mirrored = x.size - k;
    if (k == 0 || k >= mirrored) return;
    using T = RealOf<Numbers>;
    const Complex<T> sum = Complex<T>(x[k]) + Complex<T>(x[mirrored]), mean{sum.re / 2, sum.im / 2};
    x[k] = mean;
    x[mirrored] = mean;
  }
};

/// Powers of two and products of small factors by the passes of Tiles, other n by Bluestein's convolution of
/// m = 2^l >= 2 n - 1 numbers: inputs times the chirp, convolved with its conjugate, times the chirp. These
/// products are factors of the two transforms; the second one, of conjugates, is the conjugate of the
/// inverse. Of one transform, or a `batched` number of them.
template <class Tiles, class T, class Access, bool batched = false>
class AnySize {
 public:
  using Own = Passes<Tiles, T, Access, batched>;
  using Number = Complex<T>;
  using Numbers = typename Own::Numbers;
  using ConstantNumbers = typename Own::ConstantNumbers;
  using Out = typename Own::Out;
  using In = typename Own::In;

  static bool supports(Index n) {
    constexpr Index most = Index{1} << Tiles::max_lg_n;
    return n <= most && (Own::supports(n) || Own::supports(convolution_size(n)));
  }

  /// n > 0.
  explicit AnySize(Index n, BatchSize batch = {})
      : n_(n),
        m_(Own::supports(n) ? 0 : convolution_size(n)),
        batch_(batch),
        at_once_(transforms_at_once(m_ ? m_ : n, batch.count)),
        passes_(m_ ? m_ : n, m_ ? BatchSize{at_once_} : batch) {}

  std::size_t scratch() const {
    return checked_sum(
        scratch_bytes({n_chirps() * sizeof(Number), m_ * sizeof(Number), m_ * at_once_ * sizeof(Number)}),
        passes_.scratch(), "fft");
  }
  void take(Scratch<Access>& scratch) {
    chirps_ = scratch.template vector<Number>(n_chirps());
    transformed_ = scratch.template vector<Number>(m_);
    product_ = scratch.template vector<Number>(m_ * at_once_);
    passes_.take(scratch);
  }

  /// Makes roots and chirps.
  template <class Device>
  void prepare(Device& device) const {
    passes_.prepare(device);
    if (m_ == 0) return;
    launch_kernel(device, MakeChirp{},
                  {{grid_of(ceil_div(m_, Index{MakeChirp::max_threads}))}, {MakeChirp::max_threads}}, chirps_,
                  product_.block(0, m_));
    // The conjugate of the transform of the conjugates, as a chirp is even.
    passes_.run(device, all<Out>(transformed_, 1), all<In>(product_, 1));
    launch_kernel(device, MakeEven{},
                  {{grid_of(ceil_div(m_, Index{2 * MakeEven::max_threads}))}, {MakeEven::max_threads}},
                  transformed_);
  }

  /// After prepare(). `out` is `in` or does not overlap it.
  template <class Device>
  void run(Device& device, Out out, In in) const {
    if (m_ == 0) return passes_.run(device, out, in, batch_.count);
    for (unsigned first = 0; first < batch_.count; first += at_once_) {
      const unsigned count = std::min(at_once_, batch_.count - first);
      if constexpr (batched) out.first = in.first = first;
      passes_.run(device, all<Out>(product_, count), in, count, {chirps_, transformed_});
      passes_.run(device, out, all<In>(product_, count), count, {{}, chirps_});
    }
  }

 private:
  Index n_chirps() const { return m_ ? n_ : 0; }
  static Index convolution_size(Index n) {
    return static_cast<Index>(std::bit_ceil(static_cast<std::uint64_t>(2 * n - 1)));
  }
  /// The m numbers of each of `count` transforms.
  template <class View>
  View all(const Numbers& numbers, unsigned count) const {
    if constexpr (batched)
      return {numbers.block(0, m_ * count), {1, m_}};
    else
      return numbers;
  }

  Index n_, m_;
  BatchSize batch_;
  unsigned at_once_;
  Own passes_;
  Numbers chirps_{}, transformed_{}, product_{};
};

/// The scratch of a variant that transforms n numbers of T.
template <class Tiles, class T>
std::size_t scratch_of_any_size(Index n) {
  return n == 0 ? 0 : AnySize<Tiles, T, Plain>(n).scratch();
}
/// Phase 0 of such a variant makes roots and chirps, phase 1 is the transform.
template <class Tiles, int phase, class Device, class Args>
void transform_any_size(Device& device, const Args& args) {
  if (args.in.size == 0) return;
  AnySize<Tiles, RealOfArgs<Args>, AccessOf<Args>> transform(args.in.size);
  auto scratch = args.scratch;
  transform.take(scratch);
  if constexpr (phase == 0)
    transform.prepare(device);
  else
    transform.run(device, complex_view(args.out), complex_view(args.in));
}

}  // namespace tallcache::gpu::fft
