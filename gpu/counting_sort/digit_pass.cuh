// A stable counting sort by one 8-bit digit of the keys, on private histograms: each block counts a tile of
// neighbouring keys in shared memory, prefix sums over (digit, tile) say where a tile's keys of a digit go,
// and each block places its tile. What privatised histograms and stable buckets are made of.
#pragma once

#include <algorithm>
#include <bit>

#include "common/ops/counting_sort.hpp"
#include "gpu/scan.hpp"

namespace tallcache::gpu::counting_sort {

using Key = std::uint32_t;

inline constexpr int digit_bits = 8, digits = 1 << digit_bits;
inline constexpr int warp = 32;

/// Threads of a block, and the neighbouring keys that one block takes at a time. 16 keys a thread keep the
/// private counts, 8 KB, an eighth of the tile's traffic.
inline constexpr int tile_threads = 256, tile_warps = tile_threads / warp, keys_a_thread = 16;
inline constexpr Index tile_keys = Index{tile_threads} * keys_a_thread;

inline __device__ int digit_of(Key key, int shift) { return key >> shift & (digits - 1); }

/// Keys with their payload, when there is one, of one size.
struct Records {
  Key *keys = nullptr, *payload = nullptr;
  Index size = 0;
  Records(VectorView<Key> k, VectorView<Key> p) : keys(k.data), payload(p.data), size(k.size) {}
};
struct ConstRecords {
  const Key *keys, *payload;
  Index size;
  ConstRecords(VectorView<const Key> k, VectorView<const Key> p)
      : keys(k.data), payload(p.data), size(k.size) {}
  __host__ __device__ ConstRecords(const Records& r) : keys(r.keys), payload(r.payload), size(r.size) {}
};

/// Places the keys [begin, end) of `in`, at most a tile of them, stably: those of digit d at start[d], which
/// moves behind them. Called by all threads of a block, which have synchronised on `start`.
template <bool with_payload>
__device__ void place_tile(const ConstRecords& in, const Records& out, Index begin, Index end, int shift,
                           Key (&start)[digits], Key (&count)[tile_warps][digits]) {
  const int own_warp = threadIdx.x / warp, lane = threadIdx.x % warp;
  for (int d = lane; d < digits; d += warp) count[own_warp][d] = 0;
  __syncwarp();

  // A warp has neighbouring keys, 32 at a time. Lanes of one digit find each other by a match, so that the
  // rank of a key among its equals in the warp is in the order of the input.
  const Index first = begin + own_warp * (warp * keys_a_thread) + lane;
  Key key[keys_a_thread], rank[keys_a_thread];
#pragma unroll
  for (int e = 0; e < keys_a_thread; ++e)
    if (first + e * warp < end) key[e] = in.keys[first + e * warp];
#pragma unroll
  for (int e = 0; e < keys_a_thread; ++e) {
    const bool valid = first + e * warp < end;
    const int digit = valid ? digit_of(key[e], shift) : digits;
    const unsigned peers = __match_any_sync(~0u, digit);
    const unsigned before = peers & ((1u << lane) - 1);
    const Key earlier = valid ? count[own_warp][digit] : 0;
    rank[e] = earlier + __popc(before);
    __syncwarp();
    if (valid && before == 0) count[own_warp][digit] = earlier + __popc(peers);
    __syncwarp();
  }
  __syncthreads();

  // count[w][d] becomes the place of warp w's first key of digit d.
  for (int d = threadIdx.x; d < digits; d += tile_threads) {
    Key next = start[d];
    for (int w = 0; w < tile_warps; ++w) {
      const Key keys_of_warp = count[w][d];
      count[w][d] = next;
      next += keys_of_warp;
    }
    start[d] = next;
  }
  __syncthreads();

#pragma unroll
  for (int e = 0; e < keys_a_thread; ++e)
    if (first + e * warp < end) {
      const Key place = count[own_warp][digit_of(key[e], shift)] + rank[e];
      out.keys[place] = key[e];
      if constexpr (with_payload) out.payload[place] = in.payload[first + e * warp];
    }
  __syncthreads();
}

/// count[d * tiles + t] = the keys of digit d in tile t, a block a tile.
inline __global__ void __launch_bounds__(tile_threads)
    count_digits(VectorView<const Key> in, int shift, VectorView<Key> count) {
  __shared__ Key own[digits];
  for (int d = threadIdx.x; d < digits; d += tile_threads) own[d] = 0;
  __syncthreads();
  const Index begin = blockIdx.x * tile_keys;
#pragma unroll
  for (int e = 0; e < keys_a_thread; ++e) {
    const Index i = begin + e * tile_threads + threadIdx.x;
    if (i < in.size) atomicAdd(&own[digit_of(in[i], shift)], 1u);
  }
  __syncthreads();
  for (int d = threadIdx.x; d < digits; d += tile_threads) count[Index{d} * gridDim.x + blockIdx.x] = own[d];
}

/// Places every tile; first[d * tiles + t] is where tile t's keys of digit d start.
template <bool with_payload>
__global__ void __launch_bounds__(tile_threads)
    place_digits(ConstRecords in, Records out, int shift, VectorView<const Key> first) {
  __shared__ Key start[digits];
  __shared__ Key count[tile_warps][digits];
  for (int d = threadIdx.x; d < digits; d += tile_threads)
    start[d] = first[Index{d} * gridDim.x + blockIdx.x];
  __syncthreads();
  const Index begin = blockIdx.x * tile_keys;
  const Index end = begin + tile_keys < in.size ? begin + tile_keys : in.size;
  place_tile<with_payload>(in, out, begin, end, shift, start, count);
}

/// The working memory of a pass over n keys.
struct DigitPass {
  VectorView<Key>
      counts;  ///< by digit, then by tile; after the pass: where each tile's keys of a digit started
  VectorView<std::byte> scan;

  static Index tiles_of(Index n) { return blocks_of(n, tile_keys); }

  static std::size_t scratch(Index n) {
    const Index counts = digits * tiles_of(n);
    return scratch_bytes({checked_product(counts, sizeof(Key), "counts"), scan_bytes(counts)});
  }
  DigitPass(Scratch<>& scratch, Index n)
      : counts(scratch.vector<Key>(digits * tiles_of(n))),
        scan(scratch.vector<std::byte>(static_cast<Index>(scan_bytes(counts.size)))) {}

  /// `out` = `in` sorted stably by bits [shift, shift + 8). n > 0.
  template <bool with_payload>
  void run(const Launch& launch, const ConstRecords& in, const Records& out, int shift) const {
    const unsigned tiles = grid_of(tiles_of(in.size));
    count_digits<<<tiles, tile_threads, 0, stream_of(launch)>>>(VectorView<const Key>{in.keys, in.size},
                                                                shift, counts);
    check_launch();
    exclusive_scan(counts, scan, launch);
    place_digits<with_payload><<<tiles, tile_threads, 0, stream_of(launch)>>>(in, out, shift, counts);
    check_launch();
  }
};

/// The digits that tell keys in [0, range] apart; at least one.
inline int digits_of(Index range) {
  return std::max(
      1, (static_cast<int>(std::bit_width(static_cast<std::uint64_t>(range))) + digit_bits - 1) / digit_bits);
}

}  // namespace tallcache::gpu::counting_sort
