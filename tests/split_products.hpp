// The products of gpu/matmul/split_product.cuh as a tensor core makes them, on the host: the same splitting,
// the same products in the same order, the same truncations.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "common/view.hpp"

namespace tallcache::test {

/// Adds eight products to a sum: each is cut to the digits of the largest of the nine and `extra_bits` more,
/// then they are added exactly, and the sum is cut to float. Devices have 0 to 3 extra bits, and a later one
/// may have others.
struct TensorCore {
  int extra_bits;

  float add(float sum, const std::array<double, 8>& products) const {
    double largest = std::abs(static_cast<double>(sum));
    for (const double product : products) largest = std::max(largest, std::abs(product));
    if (largest == 0) return 0;
    const double unit = std::ldexp(1, std::ilogb(largest) - 23 - extra_bits);
    double total = std::trunc(sum / unit);
    for (const double product : products) total += std::trunc(product / unit);
    if (total == 0) return 0;
    const double last = std::ldexp(1, std::max(std::ilogb(total) - 23, 0));
    return static_cast<float>(std::trunc(total / last) * last * unit);
  }
};

/// What a tensor core reads of a float: 11 bits.
inline double as_tf32(float x) { return std::bit_cast<float>(std::bit_cast<std::uint32_t>(x) & ~0x1fffu); }

/// Veltkamp's splitting: in double, whose products and sums here are exact, and rounded to float one by one.
struct SplitOnHost {
  float big, small;
  explicit SplitOnHost(float x) {
    const auto scaled = static_cast<float>(static_cast<double>(x) * 8193);
    const auto rest = static_cast<float>(static_cast<double>(scaled) - x);
    big = static_cast<float>(static_cast<double>(scaled) - rest);
    small = static_cast<float>(static_cast<double>(x) - big);
  }
};

enum class SplitSums { truncated, rounded, fine, compensated };

/// C = A B by three products of parts.
inline void multiply_split_on_host(const TensorCore& core, SplitSums sums, const MatrixView<float>& c,
                                   const MatrixView<const float>& a, const MatrixView<const float>& b) {
  const bool small_first = sums == SplitSums::fine || sums == SplitSums::compensated;
  const Index promoted_after = small_first ? 32 : 128;
  for (Index i = 0; i < c.rows; ++i)
    for (Index j = 0; j < c.cols; ++j) {
      float sum = 0, total = 0;
      const auto add = [&](Index first, auto&& part_of_a, auto&& part_of_b) {
        std::array<double, 8> products{};
        for (Index l = first; l < std::min(first + 8, a.cols); ++l)
          products[static_cast<std::size_t>(l - first)] =
              as_tf32(part_of_a(SplitOnHost(a(i, l)))) * as_tf32(part_of_b(SplitOnHost(b(l, j))));
        sum = core.add(sum, products);
      };
      const auto big = [](const SplitOnHost& x) { return x.big; };
      const auto small = [](const SplitOnHost& x) { return x.small; };
      for (Index step = 0; step < a.cols; step += 32) {
        const Index end = std::min(step + 32, a.cols);
        for (Index l = step; l < end; l += 8) {
          add(l, big, small);
          add(l, small, big);
          if (!small_first) add(l, big, big);
        }
        for (Index l = step; small_first && l < end; l += 8) add(l, big, big);
        if (sums == SplitSums::truncated || (end % promoted_after != 0 && end != a.cols)) continue;
        const float before = total;
        total = before + sum;
        sum = sums == SplitSums::compensated ? sum - (total - before) : 0;
      }
      c(i, j) = sums == SplitSums::truncated ? sum : total;
    }
}

}  // namespace tallcache::test
