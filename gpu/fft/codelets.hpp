// Transforms of 1 to 16 numbers in a thread's registers.
#pragma once

#include "gpu/fft/complex.hpp"

namespace tallcache::gpu::fft {

/// a exp(-2 pi i k / 16), k a constant.
template <int k>
TALLCACHE_INLINE Complex times_root_of_16(Complex a) {
  constexpr double half_root = 0.70710678118654752440, cosine = 0.92387953251128675613,
                   sine = 0.38268343236508977173;
  if constexpr (k == 0)
    return a;
  else if constexpr (k == 2)
    return {(a.re + a.im) * half_root, (a.im - a.re) * half_root};
  else if constexpr (k >= 4)
    return turned(times_root_of_16<k - 4>(a));
  else if constexpr (k == 1)
    return a * Complex{cosine, -sine};
  else
    return a * Complex{sine, -cosine};
}

TALLCACHE_INLINE void transform_4(Complex& a, Complex& b, Complex& c, Complex& d) {
  const Complex even_sum = a + c, even_difference = a - c, odd_sum = b + d, odd_difference = turned(b - d);
  a = even_sum + odd_sum;
  b = even_difference + odd_difference;
  c = even_sum - odd_sum;
  d = even_difference - odd_difference;
}

/// x[k] = sum of x[j] exp(-2 pi i j k / n), in the natural order.
TALLCACHE_INLINE void transform(Complex (&)[1]) {}
TALLCACHE_INLINE void transform(Complex (&x)[2]) {
  const Complex sum = x[0] + x[1], difference = x[0] - x[1];
  x[0] = sum;
  x[1] = difference;
}
TALLCACHE_INLINE void transform(Complex (&x)[4]) { transform_4(x[0], x[1], x[2], x[3]); }
TALLCACHE_INLINE void transform(Complex (&x)[8]) {
  Complex even[4] = {x[0], x[2], x[4], x[6]}, odd[4] = {x[1], x[3], x[5], x[7]};
  transform(even);
  transform(odd);
  odd[1] = times_root_of_16<2>(odd[1]);
  odd[2] = times_root_of_16<4>(odd[2]);
  odd[3] = times_root_of_16<6>(odd[3]);
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    x[k] = even[k] + odd[k];
    x[k + 4] = even[k] - odd[k];
  }
}
TALLCACHE_INLINE void transform(Complex (&x)[16]) {
#pragma unroll
  for (int j = 0; j < 4; ++j) transform_4(x[j], x[j + 4], x[j + 8], x[j + 12]);
  x[5] = times_root_of_16<1>(x[5]);
  x[6] = times_root_of_16<2>(x[6]);
  x[7] = times_root_of_16<3>(x[7]);
  x[9] = times_root_of_16<2>(x[9]);
  x[10] = times_root_of_16<4>(x[10]);
  x[11] = times_root_of_16<6>(x[11]);
  x[13] = times_root_of_16<3>(x[13]);
  x[14] = times_root_of_16<6>(x[14]);
  x[15] = times_root_of_16<9>(x[15]);
#pragma unroll
  for (int k = 0; k < 16; k += 4) transform_4(x[k], x[k + 1], x[k + 2], x[k + 3]);
    // Output k1 + 4 k2 is at 4 k1 + k2.
#pragma unroll
  for (int row = 0; row < 4; ++row)
#pragma unroll
    for (int col = 0; col < row; ++col) {
      const Complex lower = x[4 * row + col];
      x[4 * row + col] = x[4 * col + row];
      x[4 * col + row] = lower;
    }
}

}  // namespace tallcache::gpu::fft
