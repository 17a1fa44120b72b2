// A stable counting sort by one 8-bit digit of the keys, on private histograms: each block counts a tile of
// neighbouring keys in shared memory, prefix sums over (digit, tile) say where a tile's keys of a digit go,
// and each block places its tile. What privatised histograms and stable buckets are made of.
#pragma once

#include <algorithm>
#include <bit>

#include "common/ops/counting_sort.hpp"
#include "gpu/on_gpu.hpp"
#include "gpu/scan.hpp"

namespace tallcache::gpu::counting_sort {

using Key = std::uint32_t;

inline constexpr int digit_bits = 8, digits = 1 << digit_bits;
inline constexpr int warp = 32;

/// Threads of a block, and the neighbouring keys that one block takes at a time. 16 keys a thread keep the
/// private counts, 8 KB, an eighth of the tile's traffic.
inline constexpr int tile_threads = 256, tile_warps = tile_threads / warp, keys_per_thread = 16;
inline constexpr Index tile_keys = Index{tile_threads} * keys_per_thread;

TALLCACHE_DEVICE inline int digit_of(Key key, int shift) { return key >> shift & (digits - 1); }

/// What a kernel takes for a vector in a struct. Plain views become bare pointers: nvcc 13 gives the
/// [[no_unique_address]] member of a view eight bytes of its own in a kernel, so that of two views in one
/// struct it finds the second at +32, where the host has put it at +16.
template <class T, class Access>
auto elements_of(VectorView<T, Access> v) {
  if constexpr (std::is_same_v<Access, Plain>)
    return v.data;
  else
    return v;
}

/// Keys with their payload, when there is one.
template <class Elements>
struct Records {
  Elements keys, payload;
  Index size;

  template <class Other>
  constexpr operator Records<Other>() const {
    return {keys, payload, size};
  }
};
template <class T, class Access>
auto records_of(VectorView<T, Access> keys, VectorView<T, Access> payload) {
  return Records<decltype(elements_of(keys))>{elements_of(keys), elements_of(payload), keys.size};
}
/// The keys of `records` as a vector of the given access.
template <class Access, class Elements>
VectorView<const Key, Access> keys_of(const Records<Elements>& records) {
  if constexpr (std::is_pointer_v<Elements>)
    return {records.keys, records.size};
  else
    return records.keys;
}

/// Places the keys [begin, end) of `in`, at most a tile of them, stably: those of digit d at start[d], which
/// moves behind them. Called by all threads of a block, which have synchronised on `start`.
template <bool with_payload, class Thread, class In, class Out, class Start, class Count>
TALLCACHE_DEVICE void place_tile(const Thread& t, const In& in, const Out& out, Index begin, Index end,
                                 int shift, Start&& start, Count&& count) {
  const int own_warp = t.thread().x / warp, lane = t.thread().x % warp;
  for (int d = lane; d < digits; d += warp) count[own_warp][d] = 0;
  t.sync_warp();

  // A warp has neighbouring keys, 32 at a time. Lanes of one digit find each other by a match, so that the
  // rank of a key among its equals in the warp is in the order of the input.
  const Index first = begin + own_warp * (warp * keys_per_thread) + lane;
  Key key[keys_per_thread], rank[keys_per_thread];
#pragma unroll
  for (int e = 0; e < keys_per_thread; ++e)
    if (first + e * warp < end) key[e] = in.keys[first + e * warp];
#pragma unroll
  for (int e = 0; e < keys_per_thread; ++e) {
    const bool valid = first + e * warp < end;
    const int digit = valid ? digit_of(key[e], shift) : digits;
    const unsigned peers = t.match_any(digit);
    const unsigned before = peers & ((1u << lane) - 1);
    const Key earlier = valid ? count[own_warp][digit] : Key{0};
    rank[e] = earlier + t.popcount(before);
    t.sync_warp();
    if (valid && before == 0) count[own_warp][digit] = earlier + t.popcount(peers);
    t.sync_warp();
  }
  t.sync();

  // count[w][d] becomes the place of warp w's first key of digit d.
  for (int d = t.thread().x; d < digits; d += tile_threads) {
    Key next = start[d];
    for (int w = 0; w < tile_warps; ++w) {
      const Key keys_of_warp = count[w][d];
      count[w][d] = next;
      next += keys_of_warp;
    }
    start[d] = next;
  }
  t.sync();

#pragma unroll
  for (int e = 0; e < keys_per_thread; ++e)
    if (first + e * warp < end) {
      const Key place = count[own_warp][digit_of(key[e], shift)] + rank[e];
      out.keys[place] = key[e];
      if constexpr (with_payload) out.payload[place] = in.payload[first + e * warp];
    }
  t.sync();
}

/// count[d * tiles + t] = the keys of digit d in tile t, a block a tile.
struct CountDigits {
  static constexpr int max_threads = tile_threads;

  template <class Thread, class In, class Count>
  TALLCACHE_DEVICE void operator()(const Thread& t, In in, int shift, Count count) const {
    auto&& own = shared<0, Key[digits]>(t);
    for (int d = t.thread().x; d < digits; d += tile_threads) own[d] = 0;
    t.sync();
    const Index begin = t.block().x * tile_keys;
#pragma unroll
    for (int e = 0; e < keys_per_thread; ++e) {
      const Index i = begin + e * tile_threads + t.thread().x;
      if (i < in.size) t.atomic_add(own[digit_of(in[i], shift)], 1u);
    }
    t.sync();
    for (int d = t.thread().x; d < digits; d += tile_threads)
      count[Index{d} * t.grid_dim().x + t.block().x] = own[d];
  }
};

/// Places every tile; first[d * tiles + t] is where tile t's keys of digit d start.
template <bool with_payload>
struct PlaceDigits {
  static constexpr int max_threads = tile_threads;

  template <class Thread, class In, class Out, class First>
  TALLCACHE_DEVICE void operator()(const Thread& t, In in, Out out, int shift, First first) const {
    auto&& start = shared<0, Key[digits]>(t);
    auto&& count = shared<1, Key[tile_warps][digits]>(t);
    for (int d = t.thread().x; d < digits; d += tile_threads)
      start[d] = first[Index{d} * t.grid_dim().x + t.block().x];
    t.sync();
    const Index begin = t.block().x * tile_keys;
    const Index end = begin + tile_keys < in.size ? begin + tile_keys : in.size;
    place_tile<with_payload>(t, in, out, begin, end, shift, start, count);
  }
};

/// The working memory of a pass over n keys.
template <class Device, class Access = Plain>
struct DigitPass {
  VectorView<Key, Access>
      counts;  ///< by digit, then by tile; after the pass: where each tile's keys of a digit started
  VectorView<std::byte, Access> scan;

  static Index tiles_of(Index n) { return ceil_div(n, tile_keys); }

  static std::size_t scratch_for(Index n) {
    const Index counts = digits * tiles_of(n);
    return scratch_bytes({checked_product(counts, sizeof(Key), "counts"), scan_bytes<Device>(counts)});
  }
  DigitPass(Scratch<Access>& scratch, Index n)
      : counts(scratch.template vector<Key>(digits * tiles_of(n))),
        scan(scratch.template vector<std::byte>(static_cast<Index>(scan_bytes<Device>(counts.size)))) {}

  /// `out` = `in` sorted stably by bits [shift, shift + 8). n > 0.
  template <bool with_payload, class In, class Out>
  void run(Device& device, const In& in, const Out& out, int shift) const {
    const LaunchShape block_per_tile({grid_of(tiles_of(in.size))}, {tile_threads});
    const VectorView<const Key, Access> first = counts;
    launch_kernel(device, CountDigits{}, block_per_tile, keys_of<Access>(in), shift, counts);
    exclusive_scan(device, counts, scan);
    launch_kernel(device, PlaceDigits<with_payload>{}, block_per_tile, in, out, shift, first);
  }
};

/// The digits that tell keys in [0, range] apart; at least one.
inline int digits_of(Index range) {
  return std::max(
      1, (static_cast<int>(std::bit_width(static_cast<std::uint64_t>(range))) + digit_bits - 1) / digit_bits);
}

}  // namespace tallcache::gpu::counting_sort
