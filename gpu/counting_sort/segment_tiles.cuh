// Keys by a digit, a tile at a time: a block gathers a tile in shared memory, digit by digit, so that the
// keys of a digit leave it as one run. In no order within a digit: equal keys are alike.
#pragma once

#include "gpu/counting_sort/block_loads.cuh"
#include "gpu/counting_sort/warp_rank.cuh"

namespace tallcache::gpu::counting_sort {

/// A block's view of the partition: the tile that it gathers, and where the keys of a bucket go.
struct PartitionBlock {
  static constexpr int threads = 1024, vectors = 10;  ///< of four keys, a thread
  /// Short tiles end there. Ends behind other vectors make long tiles slower.
  static constexpr int short_vectors = 2;
  static constexpr Index max_keys = Index{threads} * vectors * 4;
  static constexpr Key none = ~Key{0};
  using Keys = uint4[vectors];  ///< of a thread

  Key *gathered, *cursor;  ///< the tile; of each bucket: its keys here, then where its next goes
  Key *first, *offset;     ///< where it starts in the tile; from a place in the tile to the one in the output
  int shift, number;       ///< of buckets

  __device__ PartitionBlock(Key* memory, int bucket_shift, int buckets)
      : gathered(memory),
        cursor(memory + max_keys),
        first(cursor + buckets),
        offset(first + buckets + 1),
        shift(bucket_shift),
        number(buckets) {}

  static constexpr std::size_t shared_bytes(Index buckets) {
    return (max_keys + 3 * buckets + 1) * sizeof(Key);
  }

  __device__ static int left_of(int here, int v) {
    return here - (v * threads + static_cast<int>(threadIdx.x)) * 4;
  }

  __device__ void clear() const {
    for (int b = threadIdx.x; b < number; b += threads) cursor[b] = 0;
  }

  __device__ static void load(Keys& keys, const Key* in, bool is_aligned, Index begin, Index end) {
#pragma unroll
    for (int v = 0; v < vectors; ++v) {
      const Index i = begin + (v * threads + threadIdx.x) * 4;
      if (i < end) keys[v] = load_keys_once(in, is_aligned, i, end);
    }
  }

  /// `hot`: a bucket that most keys may have, if has_hot. Additions to one counter wait for each other, so
  /// its keys are added up first.
  template <bool has_hot>
  __device__ void count(const Keys& keys, int here, Key hot) const {
    const bool has_part = here % 4 != 0;  // of a vector: in the last tile only
    Key hot_keys = 0;
    const auto add = [&](Key key) {
      const Key b = key >> shift;
      if (has_hot && b == hot)
        ++hot_keys;
      else
        atomicAdd(&cursor[b], 1u);
    };
#pragma unroll
    for (int v = 0; v < vectors; ++v) {
      if (v == short_vectors && v * threads * 4 >= here) break;
      const int left = left_of(here, v);
      if (left <= 0) continue;
      add(keys[v].x);
      if (!has_part || left > 1) add(keys[v].y);
      if (!has_part || left > 2) add(keys[v].z);
      if (!has_part || left > 3) add(keys[v].w);
    }
    if constexpr (has_hot) {
      hot_keys = DeviceThread::reduce_add(hot_keys);
      if (threadIdx.x % 32 == 0 && hot_keys) atomicAdd(&cursor[hot], hot_keys);
    }
  }

  /// Makes places of the counts.
  __device__ void find_places(int here) const {
    const auto four = [](Key* of, Key b) -> uint4& { return *reinterpret_cast<uint4*>(of + b); };
    if (threadIdx.x == 0) first[number] = here;
    place_counts<threads>(
        number, 0, [&](Key b) { return four(cursor, b); },
        [&](Key b, const uint4& places) { four(cursor, b) = four(first, b) = places; });
  }

  /// take(bucket, keys) is each bucket's part of the output. Late: the parts of tiles that are taken one
  /// after the other are then written at almost the same time, while the second-level cache has the sectors
  /// in which they meet. Neighbouring threads have neighbouring buckets: their additions share a line.
  template <class Take>
  __device__ void reserve(Take take) const {
    for (int b = threadIdx.x; b < number; b += threads) {
      const Key begin = first[b], size = first[b + 1] - begin;
      if (size) offset[b] = take(b, size) - begin;
    }
  }

  template <bool has_hot>
  __device__ void gather(const Keys& keys, int here, Key hot) const {
    const bool has_part = here % 4 != 0;
#pragma unroll
    for (int v = 0; v < vectors; ++v) {
      if (v == short_vectors && v * threads * 4 >= here) break;
      const int left = left_of(here, v);
      const Key b = keys[v].x >> shift, of_first = __shfl_sync(~0u, b, 0);
      const bool is_one = left > 3 && b == of_first && b == keys[v].y >> shift && b == keys[v].z >> shift &&
                          b == keys[v].w >> shift;
      // One bucket's keys in all lanes would be 128 additions to one address.
      if (__all_sync(~0u, is_one)) {
        Key to = 0;
        if (threadIdx.x % 32 == 0) to = atomicAdd(&cursor[b], 128u);
        to = __shfl_sync(~0u, to, 0) + threadIdx.x % 32;
        gathered[to] = keys[v].x;
        gathered[to + 32] = keys[v].y;
        gathered[to + 64] = keys[v].z;
        gathered[to + 96] = keys[v].w;
      } else if (has_hot) {
        gather_one(left > 0, keys[v].x, hot), gather_one(left > 1, keys[v].y, hot);
        gather_one(left > 2, keys[v].z, hot), gather_one(left > 3, keys[v].w, hot);
      } else if (!has_part) {
        if (left <= 0) continue;
        const Key y = keys[v].y >> shift, z = keys[v].z >> shift, w = keys[v].w >> shift;
        const Key to_x = atomicAdd(&cursor[b], 1u), to_y = atomicAdd(&cursor[y], 1u),
                  to_z = atomicAdd(&cursor[z], 1u), to_w = atomicAdd(&cursor[w], 1u);
        gathered[to_x] = keys[v].x;
        gathered[to_y] = keys[v].y;
        gathered[to_z] = keys[v].z;
        gathered[to_w] = keys[v].w;
      } else {
        if (left > 0) gathered[atomicAdd(&cursor[b], 1u)] = keys[v].x;
        if (left > 1) gathered[atomicAdd(&cursor[keys[v].y >> shift], 1u)] = keys[v].y;
        if (left > 2) gathered[atomicAdd(&cursor[keys[v].z >> shift], 1u)] = keys[v].z;
        if (left > 3) gathered[atomicAdd(&cursor[keys[v].w >> shift], 1u)] = keys[v].w;
      }
    }
  }

  /// The tiles that this block takes of `tiles`, at least one: load(keys, i) loads the i-th, a SegmentPiece,
  /// the first one before wait(). hot(tile) is a bucket that most of its keys may have, or none,
  /// take(tile, bucket, keys) is where a bucket's keys of it go, and write(tile) calls for_each_gathered().
  template <class Load, class Wait, class Hot, class Take, class Write>
  __device__ void spread(Key tiles, Load load, Wait wait, Hot hot, Take take, Write write) const {
    clear();
    Keys keys;
    Key i = blockIdx.x;
    auto tile = load(keys, i);
    for (wait(); i < tiles; i += gridDim.x) {
      const auto here = tile;
      const Key hot_bucket = hot(here);
      if (__builtin_expect(hot_bucket == none, true))
        gather_tile<false>(keys, here, none, take);
      else
        gather_tile<true>(keys, here, hot_bucket, take);
      __syncthreads();
      // The next tile is on its way while this one is written.
      if (i + gridDim.x < tiles) tile = load(keys, i + gridDim.x);
      clear();
      write(here);
    }
  }

  /// put(place, key) for each of the tile's keys.
  template <class Put>
  __device__ void for_each_gathered(int here, Put put) const {
#pragma unroll 8
    for (int k = threadIdx.x; k < here; k += threads) {
      const Key key = gathered[k];
      put(offset[key >> shift] + static_cast<Key>(k), key);
    }
  }

 private:
  template <bool has_hot, class Tile, class Take>
  __device__ void gather_tile(const Keys& keys, const Tile& tile, Key hot, Take take) const {
    __syncthreads();
    count<has_hot>(keys, tile.size(), hot);
    __syncthreads();
    find_places(tile.size());  // synchronises
    gather<has_hot>(keys, tile.size(), hot);
    reserve([&](int b, Key size) { return take(tile, b, size); });
  }

  /// A key of each lane, those of bucket `hot` together.
  __device__ void gather_one(bool is_key, Key key, Key hot) const {
    const Key b = key >> shift, lane = threadIdx.x % 32;
    const unsigned lanes = __ballot_sync(~0u, is_key && b == hot), lower = lanes & ((1u << lane) - 1);
    const bool is_hot = lanes >> lane & 1;
    Key to = 0;
    if (is_key && (!is_hot || lower == 0)) to = atomicAdd(&cursor[b], is_hot ? __popc(lanes) : 1u);
    const Key of_first = __shfl_sync(~0u, to, __ffs(lanes) - 1);
    if (is_key) gathered[is_hot ? of_first + __popc(lower) : to] = key;
  }
};

/// Keys of a tile of n: as many as possible, because a run is a tile's part of a bucket, and so many, a
/// multiple of 32, that all blocks take the same number of tiles.
inline Index tile_keys(Index n, Index multiprocessors) {
  const Index rounds = ceil_div(n, PartitionBlock::max_keys * multiprocessors);
  return std::max<Index>(ceil_div(ceil_div(n, rounds * multiprocessors), 32) * 32, 4096);
}

}  // namespace tallcache::gpu::counting_sort
