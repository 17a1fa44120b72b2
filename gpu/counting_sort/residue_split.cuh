// How keys in [0, range] are split into buckets of 2^shift neighbouring values, of which only the residues,
// the low bits, are moved; and the histogram of the buckets.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "common/ops/counting_sort.hpp"
#include "gpu/block_sum.cuh"
#include "gpu/check.hpp"
#include "gpu/counting_sort/clear_words.cuh"
#include "gpu/on_gpu.hpp"

namespace tallcache::gpu::counting_sort {

using Key = std::uint32_t;

inline constexpr int split_threads = 1024;

/// Keys of a sort: those that are counted before they are moved, those that are not, or both.
enum class SplitUse : Key { counted, moved, all };

/// The buckets of a range, and which of them are heavy: more keys than one block should count alone.
struct Split {
  static constexpr Index few = 1024;                     ///< buckets, where the residues' bits allow it
  static constexpr Index max_buckets = 5120;             ///< buckets whose counts a block keeps beside a tile
  static constexpr int short_bits = 16, long_bits = 18;  ///< of a residue, at most
  static constexpr Index always_light = 16384;           ///< keys that one block counts in a few microseconds
  static constexpr Index min_segment = 256,
                         max_segment = 2048;  ///< values and keys that a warp writes at a time
  static constexpr Index many = 1 << 24;      ///< keys for which a sample takes less than a count
  static constexpr Index few_even = 2048;     ///< buckets of even keys, which two blocks may count

  int shift;     ///< bits of a residue
  Index number;  ///< of buckets
  Key heavy;     ///< a bucket of more keys is heavy
  Key even;      ///< a bucket of more has more keys than chance would give it
  Key room = 0;  ///< for a bucket's keys that are moved before they are counted; 0: they are counted first
  SplitUse use = SplitUse::all;

  static Index buckets(Index range, int shift) { return (range >> shift) + 1; }
  /// Not for so few keys that most counts would be 0, and not where a place may overflow 32 bits.
  static bool suits(Index n, Index range) {
    return buckets(range, long_bits) <= max_buckets && range / 8 <= n && n < (Index{1} << 32) - (1 << 20);
  }

  /// For any keys.
  Split(Index n, Index range) : shift(0) {
    while (buckets(range, shift) > few && shift < short_bits) ++shift;
    if (buckets(range, shift) > max_buckets) shift = long_bits;
    set_buckets(n, range);
  }

  /// For keys that are moved before they are counted, so spread evenly: fewer buckets of a large range, and
  /// longer runs of their keys. None if they are not worth it.
  static std::optional<Split> of_even_keys(Index n, Index range) {
    Split split(n, range);
    if (split.shift == 0 || n < many) return {};
    // Counters of more than 4 bits for each value of a long residue do not fit.
    const int bits = n / (range + 1) < 2 ? long_bits + 1 : split.shift;
    while (buckets(range, split.shift) > few_even && split.shift < bits) ++split.shift;
    split.set_buckets(n, range);
    const double share = static_cast<double>(n << split.shift) / static_cast<double>(range + 1);
    split.room = static_cast<Key>(std::min(1.0625 * share + 8 * std::sqrt(share) + 64, 4e9)) / 8 * 8;
    if (n + 2 * split.rooms() >= Index{1} << 32) return {};
    return split;
  }

  Index rooms() const { return number * room; }  ///< keys for which there is room
  Index values() const { return Index{1} << shift; }
  int parts() const { return shift > long_bits ? 2 : 1; }  ///< of a bucket's values, each counted by a block
  bool has_short_residues() const { return shift <= short_bits; }
  /// Buckets: none where all have the same room.
  Index max_heavy(Index n) const { return heavy && use != SplitUse::moved ? std::min(number, n / heavy) : 0; }

 private:
  void set_buckets(Index n, Index range) {
    number = buckets(range, shift);
    const double mean = static_cast<double>(n) / static_cast<double>(number);
    even = static_cast<Key>(std::min(1.25 * mean + 8 * std::sqrt(mean) + 8, 4e9));
    heavy = static_cast<Key>(std::min<Index>(std::max(always_light, 2 * n / number), n));
  }
};

/// The buckets of a sort: of keys that a sample finds spread evenly, and of others, where these differ.
struct SplitPlan {
  std::optional<Split> of_moved;
  Split last;

  SplitPlan(Index n, Index range) : last(n, range) {
    const std::optional<Split> even = Split::of_even_keys(n, range);
    if (!even) return;
    if (even->shift == last.shift) {
      last = *even;
    } else {
      of_moved = even;
      of_moved->use = SplitUse::moved;
      last.use = SplitUse::counted;
    }
  }
};

/// What the kernels of one sort share.
struct SplitState {
  Key *count,         ///< keys of each bucket; zeroed
      *first,         ///< where each bucket starts in the output, and n
      *start,         ///< where its keys start that were moved,
      *next,          ///< and where the next ones go; in the end behind the last
      *holds,         ///< 1 while each bucket has the room that it needs, without a count; zeroed
      *heavy,         ///< the heavy buckets, then their number at [max_heavy]
      *piece,         ///< the number of pieces of the heavy buckets before each, and of all
      *segment,       ///< and of segments of their values and keys
      *pieces_done,   ///< of each heavy bucket; zeroed
      *blocks_done,   ///< zeroed
      *parts_taken,   ///< of those that count_heavy_buckets() sorts; zeroed
      *wide, *wides;  ///< buckets whose counters are too narrow, each once a part; their number, zeroed
  Key* heavy_count;   ///< of each value of the heavy buckets, then where its keys start

  int shift, number, max_heavy;
  Key heavy_limit, even_limit, piece_keys, segment_items, room;
  SplitUse use;

  /// Whether the keys are sorted by another state: as moved ones if the guess holds, else as counted ones.
  __device__ bool is_idle() const { return use != SplitUse::all && *holds != static_cast<Key>(use); }
};

/// Four neighbouring keys from `i` on, as far as they lie before `end`.
inline __device__ uint4 load_keys(const Key* in, bool is_aligned, Index i, Index end) {
  if (is_aligned && i + 4 <= end) return *reinterpret_cast<const uint4*>(in + i);
  uint4 keys{};
  if (i < end) keys.x = in[i];
  if (i + 1 < end) keys.y = in[i + 1];
  if (i + 2 < end) keys.z = in[i + 2];
  if (i + 3 < end) keys.w = in[i + 3];
  return keys;
}

/// The same, and the keys leave the second-level cache first.
inline __device__ uint4 load_keys_once(const Key* in, bool is_aligned, Index i, Index end) {
  if (is_aligned && i + 4 <= end) return __ldcs(reinterpret_cast<const uint4*>(in + i));
  return load_keys(in, is_aligned, i, end);
}

/// By one block, behind the count or, if `is_moved`, the partition: where buckets start, and the list of the
/// heavy ones.
inline __device__ void lay_out_buckets(const SplitState& state, Key n, bool is_moved) {
  const DeviceThread t;
  Key keys_before = 0, heavy_before = 0, pieces_before = 0, segments_before = 0;
  for (int begin = 0; begin < state.number; begin += split_threads) {
    const int b = begin + threadIdx.x;
    const Key keys = b >= state.number ? 0
                     : is_moved        ? state.next[b] - state.start[b]
                                       : __ldcg(&state.count[b]);
    const auto [before, sum] = exclusive_sum<split_threads>(t, keys);
    if (b < state.number) {
      state.first[b] = keys_before + before;
      if (!is_moved) state.start[b] = state.next[b] = keys_before + before;
    }
    keys_before += sum;
    const bool is_heavy = keys > state.heavy_limit;
    if (!t.sync_or(is_heavy)) continue;
    // Fewer than 2^12 buckets are heavy, and a piece has 2^14 keys but for a bucket's last one.
    constexpr Key one_heavy = 1u << 20, max_pieces = one_heavy - 1;
    const Key pieces = is_heavy ? (keys - 1) / state.piece_keys + 1 + one_heavy : 0;
    const Key segments = is_heavy ? (keys + (1u << state.shift) - 1) / state.segment_items + 1 : 0;
    const auto [earlier, all] = exclusive_sum<split_threads>(t, pieces);
    __syncthreads();
    const auto [earlier_segments, all_segments] = exclusive_sum<split_threads>(t, segments);
    __syncthreads();
    if (is_heavy) {
      const Key h = heavy_before + earlier / one_heavy;
      state.heavy[h] = b;
      state.piece[h] = pieces_before + (earlier & max_pieces);
      state.segment[h] = segments_before + earlier_segments;
    }
    heavy_before += all / one_heavy;
    pieces_before += all & max_pieces;
    segments_before += all_segments;
  }
  if (threadIdx.x == 0) {
    state.first[state.number] = n;
    state.heavy[state.max_heavy] = heavy_before;
    state.piece[heavy_before] = pieces_before;
    state.segment[heavy_before] = segments_before;
  }
}

/// Gives each bucket the same room, if a sample of the keys, by one block, is spread evenly.
__global__ void __launch_bounds__(split_threads) guess_buckets(const Key* in, Index n, SplitState state) {
  extern __shared__ Key own[];
  constexpr int own_keys = 8;
  constexpr Key keys = own_keys * split_threads;
  for (int b = threadIdx.x; b < state.number; b += split_threads) own[b] = 0;
  __syncthreads();
  Key key[own_keys];
#pragma unroll
  for (int e = 0; e < own_keys; ++e) key[e] = in[(Index{e} * split_threads + threadIdx.x) * n / keys];
#pragma unroll
  for (int e = 0; e < own_keys; ++e) atomicAdd(&own[key[e] >> state.shift], 1u);
  __syncthreads();
  const float share = static_cast<float>(keys) / static_cast<float>(state.number);
  const Key most = static_cast<Key>(1.125f * share + 6 * sqrtf(share) + 8);
  bool is_even = true;
  wait_for_last_kernel();
  let_next_kernel_start();
  for (int b = threadIdx.x; b < state.number; b += split_threads) {
    is_even &= own[b] <= most;
    state.start[b] = state.next[b] = b * state.room;
  }
  if (DeviceThread::sync_and(is_even) && threadIdx.x == 0) *state.holds = 1;
}

/// The keys of each bucket, counted in shared memory first, unless they are moved already; the last block
/// lays the buckets out.
__global__ void __launch_bounds__(split_threads, 2)
    count_buckets(const Key* in, Index n, bool is_aligned, SplitState state) {
  extern __shared__ Key own[];
  __shared__ bool is_last;
  let_next_kernel_start();
  if (state.room || state.use != SplitUse::all) {  // else the last kernel only zeroes what blocks add to
    wait_for_last_kernel();
    if (state.is_idle()) return;
    if (*state.holds) {
      if (blockIdx.x == 0) lay_out_buckets(state, static_cast<Key>(n), true);
      return;
    }
  }
  for (int b = threadIdx.x; b < state.number; b += split_threads) own[b] = 0;
  __syncthreads();
  constexpr int loads = 4;
  const Index step = Index{gridDim.x} * split_threads * 4;
  const Index whole = is_aligned ? n / 4 * 4 : 0;
  Index i = (Index{blockIdx.x} * split_threads + threadIdx.x) * 4;
  for (; i + (loads - 1) * step < whole; i += loads * step) {
    uint4 keys[loads];
#pragma unroll
    for (int e = 0; e < loads; ++e) keys[e] = *reinterpret_cast<const uint4*>(in + i + e * step);
#pragma unroll
    for (int e = 0; e < loads; ++e) {
      atomicAdd(&own[keys[e].x >> state.shift], 1u);
      atomicAdd(&own[keys[e].y >> state.shift], 1u);
      atomicAdd(&own[keys[e].z >> state.shift], 1u);
      atomicAdd(&own[keys[e].w >> state.shift], 1u);
    }
  }
  for (; i < n; i += step) {
    const uint4 keys = load_keys(in, is_aligned, i, n);
    atomicAdd(&own[keys.x >> state.shift], 1u);
    if (i + 1 < n) atomicAdd(&own[keys.y >> state.shift], 1u);
    if (i + 2 < n) atomicAdd(&own[keys.z >> state.shift], 1u);
    if (i + 3 < n) atomicAdd(&own[keys.w >> state.shift], 1u);
  }
  __syncthreads();
  wait_for_last_kernel();
  for (int b = threadIdx.x; b < state.number; b += split_threads)
    if (own[b]) atomicAdd(&state.count[b], own[b]);
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) is_last = atomicAdd(state.blocks_done, 1u) == gridDim.x - 1;
  __syncthreads();
  if (!is_last) return;
  __threadfence();
  lay_out_buckets(state, static_cast<Key>(n), false);
}

}  // namespace tallcache::gpu::counting_sort
