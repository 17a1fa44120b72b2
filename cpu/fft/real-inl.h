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

/// A vector of numbers k, k + 1, ... and of those that mirror them, which begin at `mirror` and go backwards.
/// With the roots w / 2 the sums below have no factor but 1/2 forward and 2 in the inverse.
template <bool inverse, class D, class T, class Access>
HWY_INLINE void mirrored_pair(D d, const T* from, T* to, const T* half_roots, Index k, Index mirror,
                              Access access) {
  constexpr Index V = lanes_of<D>;
  const auto a = load_interleaved<false>(d, from + 2 * k, V, access);
  auto w = load_interleaved<false>(d, half_roots + 2 * k, V, access);
  auto z = load_interleaved<false>(d, from + 2 * mirror, V, access);
  z = {hn::Reverse(d, z.re), hn::Neg(hn::Reverse(d, z.im))};
  const auto sum = add<D>(a, z);
  if constexpr (inverse) w.im = hn::Neg(w.im);
  const auto odd = times<D>(sub<D>(a, z), w);
  ComplexVector<D> first, last;  // last conjugated
  if constexpr (inverse) {
    const auto two = hn::Set(d, T(2));
    first = {hn::NegMulAdd(two, odd.im, sum.re), hn::MulAdd(two, odd.re, sum.im)};
    last = {hn::MulAdd(two, odd.im, sum.re), hn::MulSub(two, odd.re, sum.im)};
  } else {
    const auto half = hn::Set(d, T(0.5));
    first = {hn::MulAdd(half, sum.re, odd.im), hn::MulSub(half, sum.im, odd.re)};
    last = {hn::MulSub(half, sum.re, odd.im), hn::NegMulSub(half, sum.im, odd.re)};
  }
  store_interleaved<false>(d, first, to + 2 * k, V, access);
  store_interleaved<false>(d, ComplexVector<D>{hn::Reverse(d, last.re), hn::Reverse(d, last.im)},
                           to + 2 * mirror, V, access);
}

/// Numbers k to end - 1 and those that mirror them: by vectors, what is left by ones of half the length.
template <bool inverse, class D, class T, class Access>
HWY_INLINE void mirrored_pairs(D d, const T* from, T* to, const T* half_roots, Index k, Index end, Index half,
                               Access access) {
  constexpr Index V = lanes_of<D>;
  for (; k + V <= end; k += V) mirrored_pair<inverse>(d, from, to, half_roots, k, half - k - V + 1, access);
  if constexpr (V > 1)
    mirrored_pairs<inverse>(hn::CappedTag<T, V / 2>(), from, to, half_roots, k, end, half, access);
}

template <bool inverse, class D, class T, class Access>
HWY_NOINLINE void mirrored(const T* from, T* to, const T* half_roots, Index begin, Index end, Index half,
                           Access access) {
  mirrored_pairs<inverse>(D(), from, to, half_roots, begin, end, half, access);
}

}  // namespace tallcache::cpu::fft::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
