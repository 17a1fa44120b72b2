// How keys in [0, range] are split into buckets of 2^shift neighbouring values, of which only the low bits
// are moved.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>

#include "common/ops/counting_sort.hpp"
#include "gpu/on_gpu.hpp"

namespace tallcache::gpu::counting_sort {

using Key = std::uint32_t;

/// The buckets of a range, and which of them are heavy: more keys than one block should count alone.
struct Split {
  static constexpr Index few = 1024;                     ///< buckets, where the bits moved allow it
  static constexpr Index max_buckets = 5120;             ///< buckets whose counts a block keeps beside a tile
  static constexpr int short_bits = 16, long_bits = 18;  ///< moved of a key, at most
  static constexpr Index always_light = 16384;           ///< keys that one block counts in a few microseconds
  static constexpr Index many = 1 << 24;                 ///< keys for which a sample takes less than a count
  static constexpr Index few_long = 3072;                ///< of long_bits; two blocks count larger ones

  int shift;     ///< low bits, which are moved
  Index number;  ///< of buckets
  Key heavy;     ///< a bucket of more keys is heavy
  Key even;      ///< a bucket of more has more keys than chance would give it
  Key room = 0;  ///< for a bucket's keys that are moved before they are counted; 0: they are counted first

  static Index buckets(Index range, int shift) { return (range >> shift) + 1; }
  /// Not for so few keys that most counts would be 0, and not where a place may overflow 32 bits.
  static bool suits(Index n, Index range) {
    return buckets(range, long_bits) <= max_buckets && range / 8 <= n && n < (Index{1} << 32) - (1 << 20);
  }

  Split(Index n, Index range) : shift(2) {
    while (buckets(range, shift) > few && shift < short_bits) ++shift;
    if (buckets(range, shift) > max_buckets) shift = long_bits;
    set_buckets(n, range);
    if (n < many) return;
    // Even keys may be moved before they are counted. Fewer buckets have longer runs. Counters of more than 4
    // bits for each value of long_bits do not fit.
    Split split = *this;
    if (shift == long_bits && number > few_long && n / (range + 1) < 2) ++split.shift;
    split.set_buckets(n, range);
    const double share = static_cast<double>(n << split.shift) / static_cast<double>(range + 1);
    split.room = static_cast<Key>(std::min(1.0625 * share + 8 * std::sqrt(share) + 64, 4e9)) / 8 * 8;
    if (n + 2 * split.rooms() < Index{1} << 32) *this = split;
  }

  Index rooms() const { return number * room; }  ///< keys for which there is room
  Index values() const { return Index{1} << shift; }

 private:
  void set_buckets(Index n, Index range) {
    number = buckets(range, shift);
    const double mean = static_cast<double>(n) / static_cast<double>(number);
    even = static_cast<Key>(std::min(1.25 * mean + 8 * std::sqrt(mean) + 8, 4e9));
    heavy = static_cast<Key>(std::min<Index>(std::max(always_light, 2 * n / number), n));
  }
};

}  // namespace tallcache::gpu::counting_sort
