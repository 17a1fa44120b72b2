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

  int shift;     ///< low bits, which are moved
  Index number;  ///< of buckets
  Key heavy;     ///< a bucket of more keys is heavy
  Key even;      ///< a bucket of more has more keys than chance would give it
  /// Low bits, and for how many keys of each bucket there is room, if keys are moved before they are counted;
  /// room 0: they are counted first.
  int guess_shift = 0;
  Key room = 0;

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
    // Even keys may be moved before they are counted. Fewer buckets have longer runs, and two blocks count
    // one. Counters of more than 4 bits for each value do not fit then.
    guess_shift = shift == long_bits && n / (range + 1) < 2 ? shift + 1 : shift;
    const double share = static_cast<double>(n << guess_shift) / static_cast<double>(range + 1);
    room = static_cast<Key>(std::min(1.0625 * share + 8 * std::sqrt(share) + 64, 4e9)) / 8 * 8;
    if (n + 2 * buckets(range, guess_shift) * room >= Index{1} << 32) room = 0;
  }

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
