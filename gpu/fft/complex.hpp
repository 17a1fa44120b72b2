// Complex numbers as kernels of Fourier transforms access them, numbers of other rings, and roots of unity.
#pragma once

#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>
#include <string>
#include <type_traits>

#include "common/ops/fft.hpp"
#include "gpu/on_gpu.hpp"

namespace tallcache::gpu::fft {

/// std::complex<T> has the alignment of a T; this one is loaded and stored in one access.
template <class T>
struct alignas(2 * sizeof(T)) Complex {
  T re, im;
};

template <class T>
TALLCACHE_INLINE Complex<T> operator+(Complex<T> a, Complex<T> b) {
  return {a.re + b.re, a.im + b.im};
}
template <class T>
TALLCACHE_INLINE Complex<T> operator-(Complex<T> a, Complex<T> b) {
  return {a.re - b.re, a.im - b.im};
}
template <class T>
TALLCACHE_INLINE Complex<T> operator*(Complex<T> a, Complex<T> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
/// -i a
template <class T>
TALLCACHE_INLINE Complex<T> turned(Complex<T> a) {
  return {a.im, -a.re};
}

/// exp(-2 pi i k / n), 0 <= k < n; in float within 2 ulp of 1, and computed as fast as floats are.
template <class T>
TALLCACHE_INLINE Complex<T> root(Index k, Index n) {
#ifdef __CUDACC__
  T sine, cosine;
  if constexpr (sizeof(T) == sizeof(float))
    sincospif(static_cast<float>(4 * k > 2 * n ? 2 * (k - n) : 2 * k) / static_cast<float>(n), &sine,
              &cosine);
  else
    sincospi(2 * static_cast<double>(k) / static_cast<double>(n), &sine, &cosine);
  return {cosine, -sine};
#else
  const long double angle =
      2 * std::numbers::pi_v<long double> * static_cast<long double>(k) / static_cast<long double>(n);
  return {static_cast<T>(std::cos(angle)), static_cast<T>(-std::sin(angle))};
#endif
}

/// A ring that has its own roots of unity: Ring::root(k, n) is the k-th power of one of order n.
template <class Ring>
concept HasRoots = requires {
  Ring::root(0, 1);
};

/// What a transform over T transforms: complex numbers of parts T, or a ring's own.
template <class T>
using NumberOf = std::conditional_t<HasRoots<T>, T, Complex<T>>;

/// The same for tables: rounded from double, where it is complex.
template <class Number>
TALLCACHE_INLINE Number rounded_root(Index k, Index n) {
  if constexpr (HasRoots<Number>) {
    return Number::root(k, n);
  } else {
    using T = decltype(Number::re);
    const Complex<double> w = root<double>(k, n);
    return {static_cast<T>(w.re), static_cast<T>(w.im)};
  }
}

/// The numbers of `v`. Throws Error where they do not begin at a multiple of their size.
template <class T, class Access>
VectorView<Complex<T>, Access> complex_view(VectorView<std::complex<T>, Access> v) {
  using Number = Complex<T>;
  if (reinterpret_cast<std::uintptr_t>(v.data) % sizeof(Number))
    throw Error("fft: numbers that begin at no multiple of " + std::to_string(sizeof(Number)) + " bytes");
  return VectorView<Number>{reinterpret_cast<Number*>(v.data), v.size}.with(v.access());
}
template <class T, class Access>
VectorView<const Complex<T>, Access> complex_view(VectorView<const std::complex<T>, Access> v) {
  return complex_view(
      VectorView<std::complex<T>>{const_cast<std::complex<T>*>(v.data), v.size}.with(v.access()));
}

/// A power of a root of unity, 0 <= k < n: of complex numbers that above, of another ring its own.
template <class Number>
TALLCACHE_INLINE Number root_of(Index k, Index n) {
  if constexpr (HasRoots<Number>)
    return Number::root(k, n);
  else
    return root<decltype(Number::re)>(k, n);
}

/// The real type of a view of complex numbers.
template <class View>
using RealOf = decltype(View::value_type::re);
/// Of a variant's arguments.
template <class Args>
using RealOfArgs = typename decltype(Args::out)::value_type::value_type;

/// 0 and the powers of two.
inline bool is_power_of_two(Index n) { return (n & (n - 1)) == 0; }
/// lg n of a power of two.
inline int lg(Index n) { return std::countr_zero(static_cast<std::uint64_t>(n)); }

}  // namespace tallcache::gpu::fft
