// What a real transform of n numbers does beside the complex one of their pairs, for each SIMD target: number
// k of the outputs and number n / 2 - k are made of the same two.
#if defined(TALLCACHE_FFT_REAL_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TALLCACHE_FFT_REAL_INL_H
#undef TALLCACHE_FFT_REAL_INL_H
#else
#define TALLCACHE_FFT_REAL_INL_H
#endif

#include "cpu/fft/passes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tallcache::cpu::fft::HWY_NAMESPACE {

/// A vector of numbers k, k + 1, ... and of those that mirror them, which begin at `mirrored` and go
/// backwards.
template <bool inverse, class D, class T>
HWY_INLINE void mirrored_pair(D d, const T* from, T* to, const T* roots, Index k, Index mirrored) {
  constexpr Index V = lanes_of<D>;
  const auto a = load_interleaved<false>(d, from + 2 * k, V, Plain{});
  const auto w = load_interleaved<false>(d, roots + 2 * k, V, Plain{});
  auto z = load_interleaved<false>(d, from + 2 * mirrored, V, Plain{});
  z = {hn::Reverse(d, z.re), hn::Neg(hn::Reverse(d, z.im))};
  const auto sum = add<D>(a, z), difference = sub<D>(a, z);
  ComplexVector<D> first, last;
  if constexpr (inverse) {
    const auto odd = times<D>(difference, ComplexVector<D>{w.re, hn::Neg(w.im)});
    first = add_i<D>(sum, odd);
    last = sub_i<D>(sum, odd);
  } else {
    const auto half = hn::Set(d, T(0.5));
    const auto odd = times<D>(difference, w), even = sum;
    first = sub_i<D>(even, odd);
    last = add_i<D>(even, odd);
    first = {hn::Mul(half, first.re), hn::Mul(half, first.im)};
    last = {hn::Mul(half, last.re), hn::Mul(half, last.im)};
  }
  store_interleaved<false>(d, first, to + 2 * k, V, Plain{});
  store_interleaved<false>(d, ComplexVector<D>{hn::Reverse(d, last.re), hn::Neg(hn::Reverse(d, last.im))},
                           to + 2 * mirrored, V, Plain{});
}

template <bool inverse, class D, class T>
HWY_NOINLINE void real_halves(const T* from, T* to, const T* roots, Index half) {
  const D d;
  const hn::CappedTag<T, 1> one;
  constexpr Index V = lanes_of<D>;
  const Index last = half / 2;
  if (last < V) {
    for (Index k = 1; k <= last; ++k) mirrored_pair<inverse>(one, from, to, roots, k, half - k);
    return;
  }
  // The last vector does again what is left of the one before.
  for (Index k = 1; k <= last; k += V) {
    const Index first = std::min(k, last - V + 1);
    mirrored_pair<inverse>(d, from, to, roots, first, half - first - V + 1);
  }
}

}  // namespace tallcache::cpu::fft::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
