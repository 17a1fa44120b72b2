// The digits of a radix sort of pairs, and what decides its passes.
#pragma once

#include <algorithm>
#include <bit>

#include "common/ops/counting_sort.hpp"
#include "gpu/check.hpp"
#include "gpu/on_gpu.hpp"

namespace tallcache::gpu::counting_sort {

using Key = std::uint32_t;

/// A digit of a key: neighbouring bits, or which of `number` ranges of values, evenly wide, the key lies in.
struct Digit {
  Key left = 0, factor = 0;
  int number = 0;

  static Digit of_bits(int shift, int bits) {
    return {static_cast<Key>(32 - shift - bits), Key{1} << bits, 1 << bits};
  }
  /// Fewer ranges than values.
  static Digit of_ranges(Key range, int number) {
    return {0, static_cast<Key>((std::uint64_t(number) << 32) / (std::uint64_t{range} + 1)), number};
  }

  __device__ Key of(Key key) const { return __umulhi(key << left, factor); }
  /// The least key of range `r`, or one beyond the last.
  __device__ Key least(Key r) const {
    return static_cast<Key>(((std::uint64_t{r} << 32) + factor - 1) / factor);
  }
  /// Bits of a key's distance from the least of its range.
  int residue_bits() const { return std::bit_width((std::uint64_t{1} << 32) / factor); }
  /// Counts in a row: an even 16 bytes.
  __host__ __device__ int padded() const { return (number + 3) / 4 * 4; }
};

/// The pairs that a block gathers by digit in shared memory at a time: `rows` of 32 a warp.
struct SweepTile {
  static constexpr int threads = 384, most_rows = 24, warps = threads / 32;
  static constexpr Key most_pairs = threads * most_rows;
  static_assert(most_pairs < 65536);
};

/// n pairs in tiles, which `blocks` blocks take in turns: neighbouring tiles at the same time, so that the
/// second-level cache joins what they write.
struct Tiles {
  static constexpr unsigned group = 32;  ///< tiles whose counts are added up

  int rows;  ///< of a warp in a tile
  Key pairs;
  unsigned number, blocks;

  Tiles(Index n, int most_blocks) {
    // As many rounds as the longest tiles take, but even ones.
    const Index rounds = blocks_of(n, Index{SweepTile::most_pairs} * most_blocks);
    rows = static_cast<int>(std::max<Index>(blocks_of(n, rounds * most_blocks * SweepTile::threads), 4));
    pairs = static_cast<Key>(rows) * SweepTile::threads;
    number = static_cast<unsigned>(blocks_of(n, pairs));
    blocks = std::min(number, static_cast<unsigned>(most_blocks));
  }

  __host__ __device__ unsigned groups() const { return (number + group - 1) / group; }
};

/// A bucket that a block sorts in its shared memory.
struct SharedBucket {
  static constexpr int threads = 512, pairs_a_thread = 20;
  static constexpr Key most = threads * pairs_a_thread;
  static constexpr int position_bits = 14, most_residue_bits = 32 - position_bits;
  static_assert(most < 1u << position_bits);
  static constexpr Index mean = 9800;  ///< pairs: hardly one of a thousand even buckets has more than `most`
};

/// The passes of a sort of n keys in [0, range].
struct DigitPlan {
  static constexpr int most_passes = 4, most_bits = 10, most_digits = 1 << most_bits;
  static constexpr int few_buckets = 264;

  Key n = 0, range = 0;
  int passes = 0;            ///< by bits, from the lowest
  bool has_buckets = false;  ///< whether sorting buckets of ranges in shared memory is tried first
  Digit digit[most_passes]{}, buckets{};
  Tiles tiles;

  DigitPlan(Index size, Index most_key, int blocks)
      : n(static_cast<Key>(size)), range(static_cast<Key>(most_key)), tiles(size, blocks) {
    const int bits = std::max(1, static_cast<int>(std::bit_width(range)));
    passes = static_cast<int>(blocks_of(bits, most_bits));
    for (int p = 0, shift = 0; p < passes; ++p) {
      const int own = static_cast<int>(blocks_of(bits - shift, passes - p));
      digit[p] = Digit::of_bits(shift, own);
      shift += own;
    }
    const Index wanted = std::max<Index>(blocks_of(size, SharedBucket::mean), few_buckets);
    if (wanted > most_digits || range < Key{most_digits}) return;
    buckets = Digit::of_ranges(range, static_cast<int>(wanted));
    has_buckets = buckets.residue_bits() <= SharedBucket::most_residue_bits;
  }

  int most_padded() const {
    int most = buckets.padded();
    for (int p = 0; p < passes; ++p) most = std::max(most, digit[p].padded());
    return most;
  }
};

/// Of digits: a row for each tile, and one for each group of tiles.
struct DigitCounts {
  static constexpr Index row = DigitPlan::most_digits;
  Key *of_tile,   ///< its pairs of each digit, then where they go
      *of_group;  ///< zeroed
};

/// What the kernels of one sort share.
struct PairState {
  DigitCounts pass, buckets;  ///< of one pass after the other, but groups are of all of them
  Key *has_even_buckets,      ///< whether each fits into shared memory; zeroed
      *is_needed;             ///< of each pass: whether there is more than one digit
  unsigned* tickets;          ///< of each pass: the tiles that blocks have taken; zeroed

  __device__ DigitCounts of_pass(const DigitPlan& plan, int p) const {
    return {pass.of_tile, pass.of_group + p * plan.tiles.groups() * DigitCounts::row};
  }
};

}  // namespace tallcache::gpu::counting_sort
