// The digits of a radix sort of pairs, and what decides its passes.
#pragma once

#include <algorithm>
#include <bit>

#include "common/ops/counting_sort.hpp"
#include "gpu/check.hpp"
#include "gpu/on_gpu.hpp"

namespace tallcache::gpu::counting_sort {

using Key = std::uint32_t;

/// Neighbouring bits of a key.
struct Digit {
  int shift = 0, bits = 1;

  __host__ __device__ int number() const { return 1 << bits; }
  __device__ Key of(Key key) const { return key >> shift & ((1u << bits) - 1); }
  __device__ Key mask() const { return ((1u << bits) - 1) << shift; }
  /// Counts in a row: an even 16 bytes.
  __host__ __device__ int padded() const { return bits < 2 ? 4 : 1 << bits; }
};

/// The pairs that a block gathers by digit in shared memory at a time, `rows` of 32 for each warp that ranks,
/// and the warps of each role in a block.
struct SweepTile {
  static constexpr int rows = 20, rank_warps = 16, look_warps = 4, write_warps = 4;
  static constexpr int rank_threads = rank_warps * 32, look_threads = look_warps * 32;
  static constexpr int write_threads = write_warps * 32;
  static constexpr int threads = rank_threads + look_threads + write_threads;
  static constexpr int rank_registers = 88, other_registers = 64;  ///< of a thread
  static constexpr Key pairs = rank_threads * rows;
  static_assert(pairs < 65536);
};

/// Where the tiles of n pairs start, if so many blocks take them in turns: whole tiles first, as many for
/// each block, then a shorter one for each, so that blocks end together.
struct Tiling {
  static constexpr int unit_rows = 4;  ///< a short tile has a multiple of them
  static_assert(SweepTile::rows % unit_rows == 0);

  Key n, whole, tiles;  ///< tiles that are whole, and all
  int short_rows = SweepTile::rows;

  Tiling(Index size, Index blocks) : n(static_cast<Key>(size)) {
    constexpr Index unit = SweepTile::rank_threads * unit_rows, units_of_whole = SweepTile::rows / unit_rows;
    const Index units = ceil_div(ceil_div(size, unit), blocks);  // of a block
    if (const Index rest = units % units_of_whole) short_rows = static_cast<int>(rest) * unit_rows;
    whole = static_cast<Key>(std::min(units / units_of_whole * blocks, size / Index{SweepTile::pairs}));
    tiles =
        whole + static_cast<Key>(ceil_div(size - first(whole), Index{SweepTile::rank_threads} * short_rows));
  }

  __host__ __device__ int rows(Key tile) const { return tile < whole ? SweepTile::rows : short_rows; }
  __host__ __device__ Key first(Key tile) const {
    return min(tile, whole) * SweepTile::pairs +
           (tile - min(tile, whole)) * (SweepTile::rank_threads * short_rows);
  }
  __device__ Key pairs(Key tile) const {
    return min(n - first(tile), Key(SweepTile::rank_threads * rows(tile)));
  }
};

/// The passes of a sort of n keys in [0, range].
struct DigitPlan {
  static constexpr int max_passes = 4, max_bits = 9, max_digits = 1 << max_bits;

  Key n = 0;
  int passes = 0;  ///< from the lowest digit on
  Digit digit[max_passes]{};
  Tiling tiling;

  DigitPlan(Index size, Key range, Index blocks) : n(static_cast<Key>(size)), tiling(size, blocks) {
    const int bits = std::max(1, static_cast<int>(std::bit_width(range)));
    passes = static_cast<int>(ceil_div(bits, max_bits));
    for (int p = 0, shift = 0; p < passes; shift += digit[p++].bits)
      digit[p] = {shift, static_cast<int>(ceil_div(bits - shift, passes - p))};
  }

  __device__ const Digit& leading() const { return digit[passes - 1]; }

  int max_padded() const {
    int max_pairs = 0;
    for (int p = 0; p < passes; ++p) max_pairs = std::max(max_pairs, digit[p].padded());
    return max_pairs;
  }
};

/// What the device decides: which passes are needed, and so where pairs lie between them.
struct Route {
  Key all_equal;                     ///< one pass copies the pairs
  Key passes;                        ///< needed
  Key place[DigitPlan::max_passes];  ///< of each pass among those needed, from 1 on, or 0
};

/// What the kernels of one sort share.
struct PairState {
  Key *count,        ///< of each digit of each pass; zeroed
      *tickets,      ///< of each pass: the tiles that blocks have taken; zeroed
      *blocks_done,  ///< zeroed
      *differing,    ///< the bits in which keys of one leading digit differ; zeroed
      *first;        ///< where the pairs of each digit go
  Route* route;
  Key* table[2];  ///< of the pairs of each tile and digit
  Index table_size, zeroed;

  /// take(bytes) is memory for each part.
  template <class Take>
  PairState(const DigitPlan& plan, Take take)
      : table_size(plan.tiling.tiles * plan.max_padded()),
        zeroed(plan.passes * DigitPlan::max_digits + DigitPlan::max_passes + 2) {
    const auto array = [&]<class T>(T*& to, Index size) {
      to = reinterpret_cast<T*>(take(size * sizeof(T)));
    };
    array(count, zeroed);
    tickets = count + plan.passes * DigitPlan::max_digits;
    blocks_done = tickets + DigitPlan::max_passes;
    differing = blocks_done + 1;
    array(first, plan.passes * DigitPlan::max_digits);
    array(route, 1);
    for (Key*& of_pass : table) array(of_pass, table_size);
  }
};

}  // namespace tallcache::gpu::counting_sort
