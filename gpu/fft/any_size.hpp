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

/// Number j of transform b of a batch is a thread's, of the m numbers that each transform has in a view.
struct ChirpPlace {
  unsigned b;
  Index j, at;

  template <class Thread>
  TALLCACHE_INLINE ChirpPlace(const Thread& t, Index m)
      : b(t.block().y), j(Index{t.block().x} * chirp_threads + t.thread().x), at(b * m + j) {}
};

/// to[j] = from[j] chirp[j], and zeros behind, to m numbers.
struct TimesChirp {
  static constexpr int max_threads = chirp_threads;

  template <class Thread, class To, class From, class Chirps>
  TALLCACHE_DEVICE void operator()(const Thread& t, To to, From from, Chirps chirps, Index m) const {
    const ChirpPlace place(t, m);
    if (place.j >= m) return;
    using Number = typename To::value_type;
    Number number{0, 0};
    if (place.j < chirps.size)
      number =
          load_number<OwnBlock, Pass::whole>(transform_of(from, place.b), place.j) * Number(chirps[place.j]);
    to[place.at] = number;
  }
};

/// The conjugates of the products: the transform of these is the conjugate of the inverse transform.
struct TimesTransform {
  static constexpr int max_threads = chirp_threads;

  template <class Thread, class To, class From>
  TALLCACHE_DEVICE void operator()(const Thread& t, To to, From transformed) const {
    const ChirpPlace place(t, transformed.size);
    using Number = typename To::value_type;
    if (place.j < transformed.size)
      to[place.at] = conjugate(Number(to[place.at]) * Number(transformed[place.j]));
  }
};

struct ConjugateTimesChirp {
  static constexpr int max_threads = chirp_threads;

  template <class Thread, class To, class From>
  TALLCACHE_DEVICE void operator()(const Thread& t, To to, From from, From chirps, Index m) const {
    const ChirpPlace place(t, m);
    using Number = typename To::value_type;
    if (place.j < chirps.size)
      store_number(transform_of(to, place.b), place.j,
                   conjugate(Number(from[place.at])) * Number(chirps[place.j]));
  }
};

/// Powers of two and products of small factors by the passes of Tiles, other n by Bluestein's convolution of
/// m = 2^l >= 2 n - 1 numbers. Of one transform, or a `batched` number of them.
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
        at_once_(std::min(transforms_at_once(m_ ? m_ : n, batch.count), 65535u)),
        passes_(m_ ? m_ : n, m_ ? BatchSize{at_once_} : batch) {}

  std::size_t scratch() const {
    const auto of_all = static_cast<std::size_t>(m_ * at_once_) * sizeof(Number);
    return checked_sum(m_ ? scratch_bytes({n_ * sizeof(Number), m_ * sizeof(Number), of_all, of_all}) : 0,
                       passes_.scratch(), "fft");
  }
  void take(Scratch<Access>& scratch) {
    if (m_) {
      chirps_ = scratch.template vector<Number>(n_), transformed_ = scratch.template vector<Number>(m_);
      padded_ = scratch.template vector<Number>(m_ * at_once_);
      product_ = scratch.template vector<Number>(m_ * at_once_);
    }
    passes_.take(scratch);
  }

  /// Makes roots and chirps.
  template <class Device>
  void prepare(Device& device) const {
    passes_.prepare(device);
    if (m_ == 0) return;
    launch_kernel(device, MakeChirp{}, of_each(1), chirps_, padded_.block(0, m_));
    passes_.run(device, all<Out>(transformed_, 1), all<In>(padded_, 1), 1);
  }

  /// After prepare(). `out` is `in` or does not overlap it.
  template <class Device>
  void run(Device& device, Out out, In in) const {
    if (m_ == 0) return passes_.run(device, out, in, batch_.count);
    for (unsigned first = 0; first < batch_.count; first += at_once_) {
      const unsigned count = std::min(at_once_, batch_.count - first);
      if constexpr (batched) out.first = in.first = first;
      launch_kernel(device, TimesChirp{}, of_each(count), padded_, in, ConstantNumbers(chirps_), m_);
      passes_.run(device, all<Out>(product_, count), all<In>(padded_, count), count);
      launch_kernel(device, TimesTransform{}, of_each(count), product_, ConstantNumbers(transformed_));
      passes_.run(device, all<Out>(padded_, count), all<In>(product_, count), count);
      launch_kernel(device, ConjugateTimesChirp{}, of_each(count), out, ConstantNumbers(padded_),
                    ConstantNumbers(chirps_), m_);
    }
  }

 private:
  static Index convolution_size(Index n) {
    return static_cast<Index>(std::bit_ceil(static_cast<std::uint64_t>(2 * n - 1)));
  }
  LaunchShape of_each(unsigned count) const {
    return {{grid_of(ceil_div(m_, Index{chirp_threads})), count}, {chirp_threads}};
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
  Numbers chirps_{}, transformed_{}, padded_{}, product_{};
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
