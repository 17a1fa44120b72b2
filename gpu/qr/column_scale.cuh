// A Householder reflector from sums over a column that is scaled by a power of two, so that no square over-
// or underflows.
#pragma once

#include <cstdint>
#include <limits>

#include "gpu/lu/pivot.cuh"

namespace tallcache::gpu::qr {

/// The exponent's bits: 0 of zeros and subnormal numbers, the largest ones of infinities and NaN.
__device__ __forceinline__ int exponent_of(double x) { return __double2hiint(x) >> 20 & 0x7ff; }
__device__ __forceinline__ int exponent_of(float x) { return __float_as_int(x) >> 23 & 0xff; }

/// The power of two by which a column is divided whose largest exponent has these bits: 0 where an element is
/// not finite. The power and its reciprocal are normal numbers.
template <class T>
__device__ __forceinline__ int largest_shift(int bits) {
  constexpr int bias = std::numeric_limits<T>::max_exponent - 1;
  return bits == 2 * bias + 1 ? 0 : max(1 - bias, min(bits - bias, bias - 1));
}
template <class T>
__device__ __forceinline__ T power_of_two(int exponent) {
  if constexpr (sizeof(T) == 8)
    return __hiloint2double((exponent + 1023) << 20, 0);
  else
    return __int_as_float((exponent + 127) << 23);
}

/// H = I - tau v v^T makes (alpha; x) to (beta; 0); v = (1; factor x).
template <class T>
struct Reflector {
  T beta, tau, factor;
};

/// `sum` is x^T x, of a column whose largest element was between 1 and 2. H = I where x is so small that its
/// square has lost digits: the column's rounding errors are larger. Reciprocals in place of a root and
/// divisions are right to the last bit or two.
///
/// Source: LAPACK's larfg; Golub and Van Loan 2013, algorithm 5.1.1.
template <class T>
__device__ __forceinline__ Reflector<T> reflector_of(T alpha, T sum) {
  constexpr T least = std::numeric_limits<T>::min() / std::numeric_limits<T>::epsilon();
  if (sum < least) return {alpha, 0, 0};
  const T square = alpha * alpha + sum, reciprocal = rsqrt(square), norm = square * reciprocal;
  const T size = fabs(alpha);
  return {-copysign(norm, alpha), 1 + size * reciprocal,
          copysign(lu::approximate_reciprocal(size + norm), alpha)};
}

}  // namespace tallcache::gpu::qr
