// Transforms of 1 to 16 numbers in a thread's registers: those of 2, 4 and odd primes, and products of them.
#pragma once

#include <type_traits>
#include <utility>

#include "common/codelet_roots.hpp"
#include "gpu/fft/complex.hpp"

namespace tallcache::gpu::fft {

/// body(std::integral_constant<int, i>) for 0 <= i < n.
template <int n, class Body>
TALLCACHE_INLINE void unrolled(const Body& body) {
  [&]<int... i>(std::integer_sequence<int, i...>) { (body(std::integral_constant<int, i>()), ...); }
  (std::make_integer_sequence<int, n>());
}

/// a exp(-2 pi i k / n), k and n constants.
template <int k, int n, class T>
TALLCACHE_INLINE Complex<T> times_root(Complex<T> a) {
  constexpr T half_root = T(0.70710678118654752440);
  if constexpr (k == 0)
    return a;
  else if constexpr (4 * k >= n)
    return turned(times_root<4 * k - n, 4 * n>(a));
  else if constexpr (8 * k == n)
    return {(a.re + a.im) * half_root, (a.im - a.re) * half_root};
  else
    return a * Complex<T>{T(root_cosine<k, n>), T(-root_sine<k, n>)};
}

/// The same over another ring.
template <int k, int n, HasRoots Number>
TALLCACHE_INLINE Number times_root(Number a) {
  constexpr Number w = Number::root(k, n);
  return k == 0 ? a : a * w;
}
template <HasRoots Number>
TALLCACHE_INLINE Number turned(Number a) {
  return times_root<1, 4>(a);
}

/// n = rows * (n / rows), as a codelet of n numbers is made of smaller ones.
constexpr int codelet_rows(int n) {
  if (n % 4 == 0) return 4;
  for (int factor = 2; factor < n; ++factor)
    if (n % factor == 0) return factor;
  return n;
}

/// n an odd prime: inputs j and n - j together give outputs k and n - k.
template <class T, int n>
TALLCACHE_INLINE void transform_prime(Complex<T> (&x)[n]) {
  constexpr int half = n / 2;
  const Complex<T> first = x[0];
  Complex<T> sum[half], difference[half];
#pragma unroll
  for (int j = 0; j < half; ++j) {
    sum[j] = x[j + 1] + x[n - 1 - j];
    difference[j] = turned(x[j + 1] - x[n - 1 - j]);
    x[0] = x[0] + sum[j];
  }
  unrolled<half>([&](auto k) {
    constexpr int row = decltype(k)::value + 1;
    Complex<T> even = first, odd{0, 0};
    unrolled<half>([&](auto j) {
      constexpr int col = decltype(j)::value + 1;
      constexpr T cosine = T(root_cosine<row * col % n, n>), sine = T(root_sine<row * col % n, n>);
      even = {even.re + cosine * sum[col - 1].re, even.im + cosine * sum[col - 1].im};
      odd = {odd.re + sine * difference[col - 1].re, odd.im + sine * difference[col - 1].im};
    });
    x[row] = even + odd;
    x[n - row] = even - odd;
  });
}

/// x[k] = sum of x[j] exp(-2 pi i j k / n), in the natural order.
template <class Number, int n>
TALLCACHE_INLINE void transform(Number (&x)[n]) {
  constexpr int rows = codelet_rows(n), cols = n / rows;
  if constexpr (n == 2) {
    const Number sum = x[0] + x[1], difference = x[0] - x[1];
    x[0] = sum;
    x[1] = difference;
  } else if constexpr (n == 4) {
    const Number even_sum = x[0] + x[2], even_difference = x[0] - x[2], odd_sum = x[1] + x[3],
                 odd_difference = turned(x[1] - x[3]);
    x[0] = even_sum + odd_sum;
    x[1] = even_difference + odd_difference;
    x[2] = even_sum - odd_sum;
    x[3] = even_difference - odd_difference;
  } else if constexpr (n > 1 && cols == 1) {
    transform_prime(x);
  } else if constexpr (n > 1) {
    Number y[rows][cols];
    unrolled<cols>([&](auto c) {
      constexpr int col = decltype(c)::value;
      Number column[rows];
#pragma unroll
      for (int row = 0; row < rows; ++row) column[row] = x[cols * row + col];
      transform(column);
      unrolled<rows>([&](auto r) {
        constexpr int row = decltype(r)::value;
        y[row][col] = times_root<row * col, n>(column[row]);
      });
    });
#pragma unroll
    for (int row = 0; row < rows; ++row) {
      transform(y[row]);
#pragma unroll
      for (int col = 0; col < cols; ++col) x[row + rows * col] = y[row][col];
    }
  }
}

}  // namespace tallcache::gpu::fft
