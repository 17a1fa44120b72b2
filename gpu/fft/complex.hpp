// Complex numbers of 16 bytes as kernels of Fourier transforms access them, and roots of unity.
#pragma once

#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>

#include "common/ops/fft.hpp"
#include "gpu/on_gpu.hpp"

namespace tallcache::gpu::fft {

/// std::complex<double> has the alignment of a double; this one is loaded and stored in one access.
struct alignas(16) Complex {
  double re, im;
};

TALLCACHE_INLINE Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
TALLCACHE_INLINE Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
TALLCACHE_INLINE Complex operator*(Complex a, Complex b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
/// -i a
TALLCACHE_INLINE Complex turned(Complex a) { return {a.im, -a.re}; }

/// exp(-2 pi i k / n), 0 <= k < n.
TALLCACHE_INLINE Complex root(Index k, Index n) {
#ifdef __CUDACC__
  double sine, cosine;
  sincospi(2 * static_cast<double>(k) / static_cast<double>(n), &sine, &cosine);
  return {cosine, -sine};
#else
  const long double angle =
      2 * std::numbers::pi_v<long double> * static_cast<long double>(k) / static_cast<long double>(n);
  return {static_cast<double>(std::cos(angle)), static_cast<double>(-std::sin(angle))};
#endif
}

/// The numbers of `v`. Throws Error where they do not begin at a multiple of 16 bytes.
template <class Access>
VectorView<Complex, Access> complex_view(VectorView<std::complex<double>, Access> v) {
  if (reinterpret_cast<std::uintptr_t>(v.data) % sizeof(Complex))
    throw Error("fft: numbers that begin at no multiple of 16 bytes");
  return VectorView<Complex>{reinterpret_cast<Complex*>(v.data), v.size}.with(v.access());
}
template <class Access>
VectorView<const Complex, Access> complex_view(VectorView<const std::complex<double>, Access> v) {
  return complex_view(
      VectorView<std::complex<double>>{const_cast<std::complex<double>*>(v.data), v.size}.with(v.access()));
}

/// 0 and the powers of two.
inline bool is_power_of_two(Index n) { return (n & (n - 1)) == 0; }
/// lg n of a power of two.
inline int lg(Index n) { return std::countr_zero(static_cast<std::uint64_t>(n)); }

}  // namespace tallcache::gpu::fft
