// A stable pass over pairs by one digit, which reads and writes each pair once: a block gathers a tile by
// digit in shared memory and writes the pairs of a digit as one run.
#pragma once

#include "gpu/counting_sort/digit_counts.cuh"
#include "gpu/counting_sort/look_back.cuh"

namespace tallcache::gpu::counting_sort {

struct Pairs {
  Key *keys, *values;
};
/// Where pairs lie: apart in the input and in the output, beside each other between the passes, where a run
/// is one and not two.
struct PairBuffers {
  Pairs in, out;
  uint2* packed[2];
};

/// A block's work on its tiles.
struct SweepBlock {
  static constexpr int rows = SweepTile::rows, threads = SweepTile::threads;
  using Places = PlacesInTile<threads>;

  Digit digit;
  Key n;
  uint2* gathered;
  Key *leap, *totals, *counts;
  int padded;

  static std::size_t shared_bytes(int max_padded) {
    return SweepTile::pairs * sizeof(uint2) + (2 + SweepTile::warps) * max_padded * sizeof(Key);
  }

  __device__ SweepBlock(const Digit& d, Key size, uint2* memory) : digit(d), n(size), padded(d.padded()) {
    gathered = memory;
    leap = reinterpret_cast<Key*>(gathered + SweepTile::pairs);
    totals = leap + padded;
    counts = totals + padded;
  }

  __device__ Key* own_counts() const { return counts + threadIdx.x / 32 * padded; }

  /// This thread's pairs of a tile: pair_at(i), and `pad` behind the last.
  template <class PairAt>
  __device__ void load(PairAt pair_at, Key tile, uint2 pad, uint2 (&pairs)[rows]) const {
    const Key begin = tile * SweepTile::pairs;
    const Key first = begin + threadIdx.x / 32 * (32 * rows) + threadIdx.x % 32;
    if (n - begin >= SweepTile::pairs) {
#pragma unroll
      for (int r = 0; r < rows; ++r) pairs[r] = pair_at(first + r * 32);
    } else {
#pragma unroll
      for (int r = 0; r < rows; ++r) pairs[r] = first + r * 32 < n ? pair_at(first + r * 32) : pad;
    }
  }

  __device__ void count(const uint2 (&pairs)[rows]) const {
    Key* const own = own_counts();
    clear_counts(own, padded);
#pragma unroll
    for (int r = 0; r < rows; ++r) atomicAdd(&own[digit.of(pairs[r].x)], 1u);
  }

  __device__ void gather(const uint2 (&pairs)[rows]) const {
    const auto digit_of = [&](const uint2& pair) { return digit.of(pair.x); };
    const auto put = [&](const uint2& pair, Key place) { gathered[place] = pair; };
    if (digit.bits < 9)
      place_in_order<8>(pairs, rows, own_counts(), digit_of, put);
    else
      place_in_order<9>(pairs, rows, own_counts(), digit_of, put);
  }

  /// The tile's counts are told to later tiles, and become the places of the warps' first pairs.
  __device__ void find_places(Key* table, Key tile, typename Places::Scan::TempStorage& scan) const {
    const Places places{counts, padded};
    const uint4 count = places.count();
    const int d = threadIdx.x * 4;
    if (places.has_digits()) {
      TileCount::store(table + static_cast<Index>(tile) * padded + d, count,
                       tile ? TileCount::is_own : TileCount::is_sum);
      *reinterpret_cast<uint4*>(totals + d) = count;
    }
    const uint4 place = places.place(count, scan);
    if (places.has_digits()) *reinterpret_cast<uint4*>(leap + d) = place;
  }

  /// leap[digit], its place in the tile, becomes the way from there to the place of a pair of that digit.
  __device__ void find_leaps(Key* table, const Key* first, Key tile) const {
    const int d = threadIdx.x * 4;
    if (d >= padded) return;
    Key* const own = table + static_cast<Index>(tile) * padded + d;
    const uint4 before = look_back(own, tile, padded);
    TileCount::store(own, before + *reinterpret_cast<const uint4*>(totals + d), TileCount::is_sum);
    uint4& to = *reinterpret_cast<uint4*>(leap + d);
    to = *reinterpret_cast<const uint4*>(first + d) + before - to;
  }

  /// put(i, pair) for each pair of a tile.
  template <class Put>
  __device__ void write(Key tile, Put put) const {
    const Key here = min(n - tile * SweepTile::pairs, SweepTile::pairs);
    constexpr int at_once = 4;
    static_assert(rows % at_once == 0);
    for (Key first = threadIdx.x; first < here; first += at_once * threads) {
      uint2 pair[at_once];
      Key at[at_once];
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        const Key i = first + k * threads;
        pair[k] = i < here ? gathered[i] : uint2{};
        at[k] = leap[digit.of(pair[k].x)] + i;
      }
#pragma unroll
      for (int k = 0; k < at_once; ++k)
        if (first + k * threads < here) put(at[k], pair[k]);
    }
  }
};

/// All keys are equal.
inline __device__ void copy_pairs(const Pairs& from, const Pairs& to, Index n) {
  constexpr int at_once = 8;
  const Index step = Index{gridDim.x} * SweepTile::threads;
  for (Index first = Index{blockIdx.x} * SweepTile::threads + threadIdx.x; first < n;
       first += at_once * step) {
    Key key[at_once], value[at_once];
#pragma unroll
    for (int k = 0; k < at_once; ++k)
      if (const Index i = first + k * step; i < n) key[k] = from.keys[i], value[k] = from.values[i];
#pragma unroll
    for (int k = 0; k < at_once; ++k)
      if (const Index i = first + k * step; i < n) to.keys[i] = key[k], to.values[i] = value[k];
  }
}

/// The tiles of a pass, a block at a time, in the order of tickets: a tile waits only for tiles that are
/// under way, and neighbours are written at almost the same time, while the second-level cache still holds
/// the sectors in which their runs meet.
template <class PairAt, class Put>
__device__ void sweep(const SweepBlock& block, Key* ticket, Key* table, const Key* first, PairAt pair_at,
                      Put put) {
  __shared__ typename SweepBlock::Places::Scan::TempStorage scan;
  __shared__ Key next;
  const Key tiles = (block.n + SweepTile::pairs - 1) / SweepTile::pairs;
  const auto take_ticket = [&] {
    if (threadIdx.x == SweepTile::threads - 1) next = atomicAdd(ticket, 1u);
  };
  take_ticket();
  __syncthreads();
  Key tile = next;
  uint2 pairs[SweepBlock::rows];
  const uint2 pad = {~Key{0}, 0};  // of the last digit
  if (tile < tiles) block.load(pair_at, tile, pad, pairs);
  while (tile < tiles) {
    block.count(pairs);
    __syncthreads();
    block.find_places(table, tile, scan);
    __syncthreads();
    block.gather(pairs);
    take_ticket();
    block.find_leaps(table, first, tile);
    __syncthreads();
    const Key written = tile;
    tile = next;
    // The next tile is on its way while this one is written.
    if (tile < tiles) block.load(pair_at, tile, pad, pairs);
    block.write(written, put);
  }
}

/// Pass `pass`, if it is needed. Clears the table of the next one.
static __global__ void __launch_bounds__(SweepTile::threads, SweepTile::blocks)
    sweep_digit(const __grid_constant__ DigitPlan plan, const __grid_constant__ PairState state,
                const __grid_constant__ PairBuffers buffers, int pass) {
  extern __shared__ __align__(16) uint2 memory_of_pairs[];
  const Route& route = *state.route;
  if (route.all_equal && pass == 0) return copy_pairs(buffers.in, buffers.out, plan.n);
  const Key place = route.place[pass];
  if (place == 0) return;
  const bool is_last = place == route.passes;
  const Index step = Index{gridDim.x} * SweepTile::threads;
  uint4* const later = reinterpret_cast<uint4*>(state.table[place % 2]);
  if (!is_last)
    for (Index i = Index{blockIdx.x} * SweepTile::threads + threadIdx.x; i < state.table_size / 4; i += step)
      later[i] = {};
  const SweepBlock block(plan.digit[pass], plan.n, memory_of_pairs);
  const Key* const first = state.first + pass * DigitPlan::max_digits;
  Key* const table = state.table[(place + 1) % 2];

  const Pairs in = buffers.in, out = buffers.out;
  const uint2* const from = buffers.packed[place % 2];
  uint2* const to = buffers.packed[(place + 1) % 2];
  const auto get_apart = [=](Key i) { return uint2{__ldcs(in.keys + i), __ldcs(in.values + i)}; };
  const auto get_packed = [=](Key i) { return __ldcs(from + i); };
  const auto put_apart = [=](Key i, const uint2& pair) { out.keys[i] = pair.x, out.values[i] = pair.y; };
  const auto put_packed = [=](Key i, const uint2& pair) { to[i] = pair; };
  Key* const ticket = state.tickets + pass;
  if (place == 1 && is_last)
    sweep(block, ticket, table, first, get_apart, put_apart);
  else if (place == 1)
    sweep(block, ticket, table, first, get_apart, put_packed);
  else if (is_last)
    sweep(block, ticket, table, first, get_packed, put_apart);
  else
    sweep(block, ticket, table, first, get_packed, put_packed);
}

}  // namespace tallcache::gpu::counting_sort
