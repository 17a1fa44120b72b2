// Strassen's product (1969) on the device: seven products of half the size in place of eight, 18 additions of
// quadrants. Its error grows with the levels, normwise (cpu/matmul/strassen.hpp).
#pragma once

#include "gpu/matmul/halved_products.hpp"

namespace tallcache::gpu::matmul {

struct StrassenForm {
  static constexpr int sums = 5;
  static constexpr SevenFactors left{4, 5, 0, 3, 6, 7, 8}, right{4, 0, 5, 6, 3, 7, 8};

  template <class T>
  static TALLCACHE_INLINE void sums_of_a(T (&sum)[sums], T a11, T a12, T a21, T a22) {
    sum[0] = a11 + a22;
    sum[1] = a21 + a22;
    sum[2] = a11 + a12;
    sum[3] = a21 - a11;
    sum[4] = a12 - a22;
  }
  template <class T>
  static TALLCACHE_INLINE void sums_of_b(T (&sum)[sums], T b11, T b12, T b21, T b22) {
    sum[0] = b11 + b22;
    sum[1] = b12 - b22;
    sum[2] = b21 - b11;
    sum[3] = b11 + b12;
    sum[4] = b21 + b22;
  }
  template <class T>
  static TALLCACHE_INLINE void join(T (&c)[4], const T (&p)[7]) {
    c[0] = p[0] + p[3] - p[4] + p[6];
    c[1] = p[2] + p[4];
    c[2] = p[1] + p[3];
    c[3] = p[0] - p[1] + p[2] + p[5];
  }
};

struct strassen : HalvedProducts<StrassenForm> {
  static constexpr std::string_view idea =
      "Strassen's seven products of halves by register tiles, all sums of a factor in one pass; padded with "
      "zeros";
  static constexpr std::string_view source = "M11; Strassen 1969";
};

}  // namespace tallcache::gpu::matmul
