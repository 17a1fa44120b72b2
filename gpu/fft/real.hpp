// Transforms of real numbers by complex ones of half as many: n real numbers, n even, are n / 2 complex ones.
#pragma once

#include "gpu/fft/batch.hpp"

namespace tallcache::gpu::fft {

inline constexpr int real_threads = 256;

/// exp(-2 pi i k / n), for what is joined to transforms of n real numbers.
struct MakeRealRoots {
  static constexpr int max_threads = real_threads;

  template <class Thread, class Roots>
  TALLCACHE_DEVICE void operator()(const Thread& t, Roots roots, Index n) const {
    const Index k = Index{t.block().x} * max_threads + t.thread().x;
    if (k < roots.size) roots[k] = rounded_root<typename Roots::value_type>(k, n);
  }
};

/// Thread (k, b) of a grid: number k < `per` of transform b.
struct RealPlace {
  Index b, k;

  template <class Thread>
  TALLCACHE_INLINE RealPlace(const Thread& t, Index per) {
    const Index number = Index{t.block().x} * real_threads + t.thread().x;
    b = number / per, k = number - b * per;
  }
};

/// In place, the half + 1 first outputs of the transforms of 2 half real numbers from the transforms of the
/// complex ones that they are: outputs k and half - k. A transform begins half + 1 numbers behind the last.
struct SplitReals {
  static constexpr int max_threads = real_threads;

  template <class Thread, class Numbers, class Roots>
  TALLCACHE_DEVICE void operator()(const Thread& t, Numbers numbers, Roots roots, Index half,
                                   Index count) const {
    const RealPlace place(t, half / 2 + 1);
    if (place.b >= count) return;
    using T = RealOf<Numbers>;
    const Index first = place.b * (half + 1), k = place.k;
    const Complex<T> z = numbers[first + k], y = conjugate(Complex<T>(numbers[first + (k ? half - k : 0)]));
    const Complex<T> sum = z + y, odd = turned(z - y) * Complex<T>(roots[k]);
    const auto halved = [](Complex<T> a) { return Complex<T>{a.re / 2, a.im / 2}; };
    numbers[first + k] = halved(sum + odd);
    numbers[first + half - k] = conjugate(halved(sum - odd));
  }
};

/// The opposite, not scaled: what the inverse transform takes to 2 half real numbers, as complex ones. The
/// imaginary parts of outputs 0 and `half` count as 0.
struct JoinReals {
  static constexpr int max_threads = real_threads;

  template <class Thread, class To, class From>
  TALLCACHE_DEVICE void operator()(const Thread& t, To to, From from, From roots, Index half,
                                   Index count) const {
    const RealPlace place(t, half / 2 + 1);
    if (place.b >= count) return;
    using T = RealOf<To>;
    const Index k = place.k, at = place.b * (half + 1);
    Complex<T> x = from[at + k], y = conjugate(Complex<T>(from[at + half - k]));
    if (k == 0) x.im = y.im = 0;
    const Complex<T> sum = x + y, odd = turned(conjugate((x - y) * conjugate(Complex<T>(roots[k]))));
    // i d is the conjugate of -i times the conjugate of d.
    const Complex<T> turned_back = conjugate(odd);
    to[place.b * half + k] = sum + turned_back;
    if (k > 0) to[place.b * half + half - k] = conjugate(sum - turned_back);
  }
};

/// Real numbers as complex ones, for an odd n.
struct WidenReals {
  static constexpr int max_threads = real_threads;

  template <class Thread, class To, class From>
  TALLCACHE_DEVICE void operator()(const Thread& t, To to, From from) const {
    const Index j = Index{t.block().x} * max_threads + t.thread().x;
    if (j < to.size) to[j] = {from[j], 0};
  }
};

/// The first n / 2 + 1 of n numbers.
struct KeepHalf {
  static constexpr int max_threads = real_threads;

  template <class Thread, class To, class From>
  TALLCACHE_DEVICE void operator()(const Thread& t, To to, From from, Index n) const {
    const RealPlace place(t, n / 2 + 1);
    const Index at = place.b * (n / 2 + 1) + place.k;
    if (at < to.size) to[at] = from[place.b * n + place.k];
  }
};

/// All n numbers from the first n / 2 + 1, of which the others are conjugates.
struct MirrorHalf {
  static constexpr int max_threads = real_threads;

  template <class Thread, class To, class From>
  TALLCACHE_DEVICE void operator()(const Thread& t, To to, From from, Index n) const {
    const RealPlace place(t, n);
    const Index at = place.b * n + place.k, begin = place.b * (n / 2 + 1);
    if (at >= to.size) return;
    using Number = typename To::value_type;
    Number z = from[begin + (2 * place.k < n ? place.k : n - place.k)];
    if (2 * place.k >= n) z = conjugate(z);
    if (place.k == 0) z.im = 0;
    to[at] = z;
  }
};

struct RealParts {
  static constexpr int max_threads = real_threads;

  template <class Thread, class To, class From>
  TALLCACHE_DEVICE void operator()(const Thread& t, To to, From from) const {
    const Index j = Index{t.block().x} * max_threads + t.thread().x;
    if (j >= to.size) return;
    const typename From::value_type z = from[j];
    to[j] = z.re;
  }
};

}  // namespace tallcache::gpu::fft
