// A stable pass over pairs by one digit: a block gathers a tile by digit in shared memory and writes the
// pairs of a digit as one run.
#pragma once

#include "gpu/counting_sort/warp_rank.cuh"

namespace tallcache::gpu::counting_sort {

struct Pairs {
  Key *keys, *values;
};
/// A block's work on its tiles.
struct SweepBlock {
  static constexpr int rows = SweepTile::most_rows;
  using Places = PlacesInTile<SweepTile::threads>;

  Digit digit;
  int used;   ///< rows of a warp
  Key pairs;  ///< of a tile
  Key *gathered_keys, *gathered_values, *leap;
  std::uint16_t* counts;
  int padded;

  static std::size_t shared_bytes(const DigitPlan& plan) {
    return 2 * plan.tiles.rows * SweepTile::threads * sizeof(Key) +
           plan.most_padded() * (sizeof(Key) + SweepTile::warps * sizeof(std::uint16_t));
  }

  __device__ SweepBlock(const Digit& d, int rows_used, Key* memory)
      : digit(d), used(rows_used), pairs(rows_used * SweepTile::threads), padded(d.padded()) {
    gathered_keys = memory;
    gathered_values = memory + pairs;
    leap = gathered_values + pairs;
    counts = reinterpret_cast<std::uint16_t*>(leap + padded);
  }

  __device__ std::uint16_t* own_counts() const { return counts + threadIdx.x / 32 * padded; }

  /// The words of `from` [begin, end) that are this thread's, and `pad` behind them.
  __device__ void load(const Key* from, Key begin, Key end, Key pad, Key (&words)[rows]) const {
    const Key first = begin + threadIdx.x / 32 * (32 * used) + threadIdx.x % 32;
    if (used == rows && end - begin >= pairs) {
#pragma unroll
      for (int r = 0; r < rows; ++r) words[r] = __ldcs(from + first + r * 32);
      return;
    }
#pragma unroll
    for (int r = 0; r < rows; ++r)
      words[r] = r < used && first + r * 32 < end ? __ldcs(from + first + r * 32) : pad;
  }

  __device__ void rank(const Key (&keys)[rows], Ranks<rows>& ranks) const {
    clear_counts(own_counts(), padded);
    const auto digit_of = [&](Key key) { return digit.of(key); };
    if (padded <= 256)
      rank_in_warp<8>(keys, used, own_counts(), digit_of, ranks);
    else if (padded <= 512)
      rank_in_warp<9>(keys, used, own_counts(), digit_of, ranks);
    else
      rank_in_warp<10>(keys, used, own_counts(), digit_of, ranks);
  }

  __device__ void gather(const Key (&keys)[rows], const Key (&values)[rows], const Ranks<rows>& ranks) const {
    const std::uint16_t* const place = own_counts();
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      if (r >= used) break;
      const Key to = place[digit.of(keys[r])] + ranks.get(r);
      gathered_keys[to] = keys[r];
      gathered_values[to] = values[r];
    }
  }

  /// Writes the tile's pairs, `here` of them.
  __device__ void write(const Pairs& to, Key here) const {
    constexpr int at_once = 4;
    for (int r = 0; r < used; r += at_once) {
      Key key[at_once], value[at_once], at[at_once];
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        const Key i = (r + k) * SweepTile::threads + threadIdx.x;
        key[k] = i < here ? gathered_keys[i] : 0;
        value[k] = i < here ? gathered_values[i] : 0;
        at[k] = leap[digit.of(key[k])] + i;
      }
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        if ((r + k) * SweepTile::threads + threadIdx.x >= here) break;
        to.keys[at[k]] = key[k];
        to.values[at[k]] = value[k];
      }
    }
  }
};

/// All keys have one digit: the pairs [begin, end) stay where they are.
inline __device__ void copy_tile(const Pairs& from, const Pairs& to, Key begin, Key end) {
  constexpr int at_once = 8;
  for (Key first = begin + threadIdx.x; first < end; first += at_once * SweepTile::threads) {
    Key key[at_once], value[at_once];
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      const Key i = first + k * SweepTile::threads;
      if (i < end) key[k] = from.keys[i], value[k] = from.values[i];
    }
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      const Key i = first + k * SweepTile::threads;
      if (i < end) to.keys[i] = key[k], to.values[i] = value[k];
    }
  }
}

static __global__ void __launch_bounds__(SweepTile::threads, 2)
    sweep_tiles(const __grid_constant__ DigitPlan plan, const __grid_constant__ PairState state,
                const Pairs from, const Pairs to, int pass) {
  extern __shared__ __align__(16) Key memory[];
  __shared__ typename SweepBlock::Places::Scan::TempStorage scan;
  const bool by_buckets = *state.has_even_buckets;
  if (pass && by_buckets) return;
  const SweepBlock block(by_buckets ? plan.buckets : plan.digit[pass], plan.tiles.rows, memory);
  const SweepBlock::Places places{block.counts, block.padded};
  const Key pad = by_buckets ? plan.range : ~Key{0};  // a key of the last digit
  const Key* const first = by_buckets ? state.buckets.of_tile : state.pass.of_tile;
  const bool is_needed = by_buckets || state.is_needed[pass];

  // In the order of tickets neighbouring tiles are written at almost the same time, while the second-level
  // cache still holds the sectors in which their runs meet.
  __shared__ unsigned ticket;
  const auto take_ticket = [&] {
    if (threadIdx.x == 0) ticket = atomicAdd(state.tickets + pass, 1u);
  };
  take_ticket();
  __syncthreads();
  unsigned tile = ticket;
  Key keys[SweepBlock::rows];
  const auto load_keys_of = [&](unsigned t) {
    if (t < plan.tiles.number && is_needed) block.load(from.keys, t * plan.tiles.pairs, plan.n, pad, keys);
  };
  load_keys_of(tile);
  while (tile < plan.tiles.number) {
    const Key begin = tile * plan.tiles.pairs, here = min(plan.tiles.pairs, plan.n - begin);
    if (is_needed) {
      Ranks<SweepBlock::rows> ranks;
      block.rank(keys, ranks);
      Key values[SweepBlock::rows];
      block.load(from.values, begin, plan.n, 0, values);
      uint4 next{};
      if (places.has_digits())
        next = *reinterpret_cast<const uint4*>(first + tile * DigitCounts::row + threadIdx.x * 4);
      __syncthreads();
      const uint4 place = places.place(places.count(), scan);
      if (places.has_digits()) *reinterpret_cast<uint4*>(block.leap + threadIdx.x * 4) = next - place;
      __syncthreads();
      take_ticket();
      block.gather(keys, values, ranks);
    } else {
      __syncthreads();
      take_ticket();
      copy_tile(from, to, begin, begin + here);
    }
    __syncthreads();
    tile = ticket;
    // The next tile's keys are on their way while this one is written.
    load_keys_of(tile);
    if (is_needed) block.write(to, here);
  }
}

}  // namespace tallcache::gpu::counting_sort
