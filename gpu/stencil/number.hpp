// The number that a point update calculates with in a kernel: each operation is rounded, none are contracted,
// so that results are the same bytes as those of any other schedule and processor.
#pragma once

#include <cmath>
#include <type_traits>

#include "gpu/on_gpu.hpp"

#ifdef __CUDACC__
#define TALLCACHE_BOTH __host__ __device__ __forceinline__
#else
#define TALLCACHE_BOTH inline
#endif

namespace tallcache::gpu::stencil {

namespace detail {
#ifndef __CUDA_ARCH__
/// Hides from the compiler how `value` was made, so that it contracts nothing.
template <class T>
void keep([[maybe_unused]] T& value) {
#if defined(__GNUC__) && defined(__x86_64__)
  asm("" : "+x"(value));
#elif defined(__GNUC__) && defined(__aarch64__)
  asm("" : "+w"(value));
#endif
}
#endif

/// a * b, rounded. A sum alone needs no function of its own: products are what is contracted.
template <class T>
TALLCACHE_BOTH T product(T a, T b) {
#ifdef __CUDA_ARCH__
  if constexpr (sizeof(T) == 4)
    return __fmul_rn(a, b);
  else
    return __dmul_rn(a, b);
#else
  T result = a * b;
  keep(result);
  return result;
#endif
}
}  // namespace detail

/// A float or double. A number of any arithmetic type converts to it, rounded to T.
template <class T>
struct Number {
  using value_type = T;

  T v;

  Number() = default;
  template <class Arithmetic>
  requires std::is_arithmetic_v<Arithmetic> TALLCACHE_BOTH constexpr Number(Arithmetic number)
      : v(static_cast<T>(number)) {}

  TALLCACHE_BOTH friend constexpr Number operator+(Number a, Number b) { return a.v + b.v; }
  TALLCACHE_BOTH friend constexpr Number operator-(Number a, Number b) { return a.v - b.v; }
  TALLCACHE_BOTH friend constexpr Number operator*(Number a, Number b) { return detail::product(a.v, b.v); }
  TALLCACHE_BOTH friend constexpr Number operator/(Number a, Number b) { return a.v / b.v; }
  TALLCACHE_BOTH friend constexpr Number operator-(Number a) { return -a.v; }
  TALLCACHE_BOTH friend constexpr Number operator+(Number a) { return a; }
  TALLCACHE_BOTH constexpr Number& operator+=(Number b) { return *this = *this + b; }
  TALLCACHE_BOTH constexpr Number& operator-=(Number b) { return *this = *this - b; }
  TALLCACHE_BOTH constexpr Number& operator*=(Number b) { return *this = *this * b; }
  TALLCACHE_BOTH constexpr Number& operator/=(Number b) { return *this = *this / b; }

  /// a < b ? x : y
  TALLCACHE_BOTH friend constexpr Number where_less(Number a, Number b, Number x, Number y) {
    return a.v < b.v ? x.v : y.v;
  }
  /// As std::min and std::max.
  TALLCACHE_BOTH friend constexpr Number min(Number a, Number b) { return where_less(b, a, b, a); }
  TALLCACHE_BOTH friend constexpr Number max(Number a, Number b) { return where_less(a, b, b, a); }
  TALLCACHE_BOTH friend constexpr Number abs(Number a) { return max(a, -a); }
  TALLCACHE_BOTH friend Number sqrt(Number a) { return std::sqrt(a.v); }
};

}  // namespace tallcache::gpu::stencil
