// Winograd's form of Strassen's product (1971) on the device: seven products of half the size, 15 additions
// of quadrants.
#pragma once

#include "gpu/matmul/halved_products.hpp"

namespace tallcache::gpu::matmul {

struct WinogradForm {
  static constexpr int sums = 4;
  static constexpr SevenFactors left{0, 1, 7, 3, 4, 5, 6}, right{0, 2, 3, 7, 4, 5, 6};

  template <class T>
  static TALLCACHE_INLINE void sums_of_a(T (&sum)[sums], T a11, T a12, T a21, T a22) {
    sum[0] = a21 + a22;
    sum[1] = sum[0] - a11;
    sum[2] = a11 - a21;
    sum[3] = a12 - sum[1];
  }
  template <class T>
  static TALLCACHE_INLINE void sums_of_b(T (&sum)[sums], T b11, T b12, T b21, T b22) {
    sum[0] = b12 - b11;
    sum[1] = b22 - sum[0];
    sum[2] = b22 - b12;
    sum[3] = sum[1] - b21;
  }
  template <class T>
  static TALLCACHE_INLINE void join(T (&c)[4], const T (&p)[7]) {
    const T u = p[0] + p[5], v = u + p[6];
    c[0] = p[0] + p[1];
    c[1] = u + p[4] + p[2];
    c[2] = v - p[3];
    c[3] = v + p[4];
  }
};

struct winograd : HalvedProducts<WinogradForm> {
  static constexpr std::string_view idea =
      "Winograd's form of Strassen's product, by register tiles, all sums of a factor in one pass; padded "
      "with zeros";
  static constexpr std::string_view source = "Winograd 1971; Strassen 1969";
};

}  // namespace tallcache::gpu::matmul
