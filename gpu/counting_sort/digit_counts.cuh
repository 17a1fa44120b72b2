// Where each tile's pairs of each digit go: the digits of every tile are counted, groups of tiles are added
// up, and a block turns the counts of a group's tiles into places.
#pragma once

#include <cub/block/block_scan.cuh>

#include "gpu/counting_sort/digit_plan.cuh"

namespace tallcache::gpu::counting_sort {

inline __device__ uint4 operator+(const uint4& a, const uint4& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w};
}
inline __device__ uint4 operator-(const uint4& a, const uint4& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w};
}
inline __device__ Key sum_of(const uint4& a) { return a.x + a.y + a.z + a.w; }
inline __device__ Key most_of(const uint4& a) { return max(max(a.x, a.y), max(a.z, a.w)); }
/// a.x, a.x + a.y and so on, behind `before`.
inline __device__ uint4 exclusive_sums(Key before, const uint4& a) {
  return {before, before + a.x, before + a.x + a.y, before + a.x + a.y + a.z};
}

inline constexpr int count_tiles_threads = 512;

/// The counts of a tile's digits, `own` of them in shared memory, which are zeroed.
inline __device__ void publish(const DigitCounts& counts, const Digit& digit, Key* own, unsigned tile) {
  for (int d = threadIdx.x; d < digit.padded(); d += count_tiles_threads) {
    const Key count = own[d];
    own[d] = 0;
    counts.of_tile[tile * DigitCounts::row + d] = count;
    if (count) atomicAdd(&counts.of_group[tile / Tiles::group * DigitCounts::row + d], count);
  }
}

/// Counts the digits of pass `pass`, and buckets before the first pass.
static __global__ void __launch_bounds__(count_tiles_threads, 3)
    count_tiles(const Key* in, bool is_aligned, const __grid_constant__ DigitPlan plan,
                const __grid_constant__ PairState state, int pass) {
  __shared__ Key own[DigitPlan::most_digits], own_of_buckets[DigitPlan::most_digits];
  if (pass && *state.has_even_buckets) return;
  const bool counts_buckets = pass == 0 && plan.has_buckets;
  for (int d = threadIdx.x; d < DigitPlan::most_digits; d += count_tiles_threads)
    own[d] = own_of_buckets[d] = 0;
  const Digit digit = plan.digit[pass], buckets = plan.buckets;
  const auto add = [&](Key key) {
    atomicAdd(&own[digit.of(key)], 1u);
    if (counts_buckets) atomicAdd(&own_of_buckets[buckets.of(key)], 1u);
  };
  for (unsigned tile = blockIdx.x; tile < plan.tiles.number; tile += gridDim.x) {
    __syncthreads();
    const Key begin = tile * plan.tiles.pairs, end = begin + min(plan.tiles.pairs, plan.n - begin);
    constexpr int at_once = 5;
    static_assert(at_once * count_tiles_threads * 4 >= SweepTile::most_pairs);
    if (is_aligned && (end - begin) % 4 == 0) {
      uint4 keys[at_once];
#pragma unroll
      for (int k = 0; k < at_once; ++k)
        if (const Key i = begin + (k * count_tiles_threads + threadIdx.x) * 4; i < end)
          keys[k] = *reinterpret_cast<const uint4*>(in + i);
#pragma unroll
      for (int k = 0; k < at_once; ++k)
        if (begin + (k * count_tiles_threads + threadIdx.x) * 4 < end)
          add(keys[k].x), add(keys[k].y), add(keys[k].z), add(keys[k].w);
    } else {
      for (Key i = begin + threadIdx.x; i < end; i += count_tiles_threads) add(in[i]);
    }
    __syncthreads();
    publish(state.of_pass(plan, pass), digit, own, tile);
    if (counts_buckets) publish(state.buckets, buckets, own_of_buckets, tile);
  }
}

/// A block's sums: a thread has four neighbouring digits of a quarter of the rows.
struct PlaceBlock {
  static constexpr int threads = 1024, quads = DigitPlan::most_digits / 4, parts = threads / quads;
  static constexpr int rows = Tiles::group / parts;
  using Scan = cub::BlockScan<Key, threads, cub::BLOCK_SCAN_WARP_SCANS>;

  uint4 all[parts][quads], before[parts][quads];
  typename Scan::TempStorage scan;

  /// Where the group's pairs of the digits start, in before[0]; the pairs of the digits in all tiles.
  __device__ uint4 start_of_group(const DigitCounts& counts, unsigned groups, bool has_digits) {
    const int quad = threadIdx.x % quads, part = threadIdx.x / quads;
    uint4 sum{}, earlier{};
    if (has_digits)
#pragma unroll 4
      for (unsigned g = part; g < groups; g += parts) {
        const uint4 row = *reinterpret_cast<const uint4*>(counts.of_group + g * DigitCounts::row + quad * 4);
        sum = sum + row;
        if (g < blockIdx.x) earlier = earlier + row;
      }
    all[part][quad] = sum;
    before[part][quad] = earlier;
    __syncthreads();
    uint4 total{};
    if (part == 0)
#pragma unroll
      for (int p = 0; p < parts; ++p) total = total + all[p][quad];
    Key first;
    Scan(scan).ExclusiveSum(sum_of(total), first);
    if (part == 0) {
      uint4 start = exclusive_sums(first, total);
#pragma unroll
      for (int p = 0; p < parts; ++p) start = start + before[p][quad];
      before[0][quad] = start;
    }
    __syncthreads();
    return total;
  }

  /// The counts of the group's tiles become places.
  __device__ void place_tiles(const DigitCounts& counts, unsigned tiles, bool has_digits) {
    const int quad = threadIdx.x % quads, part = threadIdx.x / quads;
    const unsigned first = blockIdx.x * Tiles::group + part * rows;
    uint4 count[rows], sum{};
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      count[r] = has_digits && first + r < tiles ? *row(counts, first + r, quad) : uint4{};
      sum = sum + count[r];
    }
    all[part][quad] = sum;
    __syncthreads();
    uint4 place = before[0][quad];
    for (int p = 0; p < part; ++p) place = place + all[p][quad];
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      if (has_digits && first + r < tiles) *row(counts, first + r, quad) = place;
      place = place + count[r];
    }
  }

 private:
  static __device__ uint4* row(const DigitCounts& counts, unsigned tile, int quad) {
    return reinterpret_cast<uint4*>(counts.of_tile + tile * DigitCounts::row) + quad;
  }
};

/// A block a group of tiles; the second row of blocks is of buckets.
static __global__ void __launch_bounds__(PlaceBlock::threads)
    place_tiles(const __grid_constant__ DigitPlan plan, const __grid_constant__ PairState state, int pass) {
  __shared__ PlaceBlock block;
  if (pass && *state.has_even_buckets) return;
  const bool is_of_buckets = blockIdx.y == 1;
  const DigitCounts counts = is_of_buckets ? state.buckets : state.of_pass(plan, pass);
  const Digit digit = is_of_buckets ? plan.buckets : plan.digit[pass];
  const bool has_digits = threadIdx.x % PlaceBlock::quads * 4 < digit.padded();
  const uint4 total = block.start_of_group(counts, plan.tiles.groups(), has_digits);
  if (blockIdx.x == 0) {
    const bool is_one = __syncthreads_or(most_of(total) == plan.n);
    const bool fits = !__syncthreads_or(most_of(total) > SharedBucket::most);
    if (threadIdx.x == 0) {
      if (is_of_buckets)
        *state.has_even_buckets = fits;
      else
        state.is_needed[pass] = !is_one;
    }
  }
  block.place_tiles(counts, plan.tiles.number, has_digits);
}

}  // namespace tallcache::gpu::counting_sort
