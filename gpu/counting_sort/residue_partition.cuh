// The keys into their buckets, as residues: a block gathers a tile in shared memory, bucket by bucket,
// so that the keys of a bucket leave it as one run. In no order within a bucket: equal keys cannot be
// told apart.
#pragma once

#include "gpu/counting_sort/residue_split.cuh"

namespace tallcache::gpu::counting_sort {

/// The keys of a block's tile: as long as possible, because a bucket's run is a tile's part of it, and even,
/// so that all blocks take the same number of tiles.
struct ResidueTiles {
  static constexpr int threads = 1024, vectors = 10;  ///< of four keys, a thread
  static constexpr Index max_keys = Index{threads} * vectors * 4;

  int keys;  ///< of a tile, a multiple of 32
  Index number;
  unsigned blocks;

  ResidueTiles(Index n, int multiprocessors) {
    const Index rounds = ceil_div(n, max_keys * multiprocessors);
    keys = static_cast<int>(std::max<Index>(ceil_div(ceil_div(n, rounds * multiprocessors), 32) * 32, 4096));
    number = ceil_div(n, keys);
    blocks = static_cast<unsigned>(std::min<Index>(number, multiprocessors));
  }

  static constexpr std::size_t shared_bytes(Index buckets) {
    return (max_keys + 3 * buckets + 1) * sizeof(Key);
  }
};

/// A block's view of the partition: the tile that it gathers, and where the keys of a bucket go.
struct PartitionBlock {
  static constexpr int threads = ResidueTiles::threads, vectors = ResidueTiles::vectors;
  using Keys = uint4[vectors];  ///< of a thread

  Key *gathered, *cursor;  ///< the tile; of each bucket: its keys here, then where its next goes
  Key *first, *leap;       ///< where it starts in the tile; from a place in the tile to the one in the output
  int shift, number;       ///< of buckets

  __device__ PartitionBlock(Key* memory, int bucket_shift, int buckets)
      : gathered(memory),
        cursor(memory + ResidueTiles::max_keys),
        first(cursor + buckets),
        leap(first + buckets + 1),
        shift(bucket_shift),
        number(buckets) {}

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

  __device__ void count(const Keys& keys, int here) const {
    const bool has_part = here % 4 != 0;  // of a vector: in the last tile only
#pragma unroll
    for (int v = 0; v < vectors; ++v) {
      const int left = left_of(here, v);
      if (left <= 0) continue;
      atomicAdd(&cursor[keys[v].x >> shift], 1u);
      if (!has_part || left > 1) atomicAdd(&cursor[keys[v].y >> shift], 1u);
      if (!has_part || left > 2) atomicAdd(&cursor[keys[v].z >> shift], 1u);
      if (!has_part || left > 3) atomicAdd(&cursor[keys[v].w >> shift], 1u);
    }
  }

  /// Makes places of the counts. A thread has neighbouring buckets.
  __device__ void find_places(int here) const {
    const int own = (number + threads - 1) / threads,
              begin = min(static_cast<int>(threadIdx.x) * own, number);
    const int end = min(begin + own, number);
    Key keys = 0;
    for (int b = begin; b < end; ++b) keys += cursor[b];
    Key place = exclusive_sum<threads>(DeviceThread{}, keys).before;
    for (int b = begin; b < end; ++b) {
      const Key of_bucket = cursor[b];
      cursor[b] = first[b] = place;
      place += of_bucket;
    }
    if (threadIdx.x == 0) first[number] = here;
  }

  /// take(bucket, keys) is each bucket's part of the output. Late: the parts of tiles that are taken one
  /// after the other are then written at almost the same time, while the second-level cache holds the sectors
  /// in which they meet. Neighbouring threads have neighbouring buckets: their additions share a line.
  template <class Take>
  __device__ void reserve(Take take) const {
    for (int b = threadIdx.x; b < number; b += threads) {
      const Key begin = first[b], size = first[b + 1] - begin;
      if (size) leap[b] = take(b, size) - begin;
    }
  }

  __device__ void gather(const Keys& keys, int here) const {
    const bool has_part = here % 4 != 0;
#pragma unroll
    for (int v = 0; v < vectors; ++v) {
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

  template <class Residue>
  __device__ void write(Residue* out, int here) const {
#pragma unroll 8
    for (int k = threadIdx.x; k < here; k += threads) {
      const Key key = gathered[k];
      out[leap[key >> shift] + static_cast<Key>(k)] = static_cast<Residue>(key & ((1u << shift) - 1));
    }
  }
};

/// `is_guess`: into the same room for each bucket, if that holds; otherwise, if it does not, by their counts.
/// `out`: of residues of 16 bits, if these are enough, or of 32.
__global__ void __launch_bounds__(ResidueTiles::threads, 1)
    partition(const Key* in, Index n, bool is_aligned, bool is_guess, void* out, ResidueTiles tiles,
              SplitState state) {
  constexpr int threads = ResidueTiles::threads;
  extern __shared__ __align__(16) Key memory[];
  const PartitionBlock block(memory, state.shift, state.number);
  wait_for_last_kernel();
  let_next_kernel_start();
  // All threads of a block see the same, though another may find meanwhile that the guess does not hold.
  if (!DeviceThread::sync_and(*state.holds == Key{is_guess})) return;

  if (!is_guess) {
    const Key clear = state.heavy[state.max_heavy] << state.shift;
    for (Key c = blockIdx.x * threads + threadIdx.x; c < clear; c += gridDim.x * threads)
      state.heavy_count[c] = 0;
  }
  block.clear();

  PartitionBlock::Keys keys;
  const auto load = [&](Index tile) {
    const Index begin = tile * tiles.keys, end = begin + tiles.keys < n ? begin + tiles.keys : n;
    block.load(keys, in, is_aligned, begin, end);
  };
  const auto take = [&](int b, Key size) {
    const Key place = atomicAdd(&state.next[b], size);
    if (!is_guess || place + size <= (b + 1) * state.room) return place;
    *state.holds = 0;
    return min(place, state.number * state.room);  // anywhere in the memory: all keys are moved again
  };
  load(blockIdx.x);
  for (Index tile = blockIdx.x; tile < tiles.number; tile += gridDim.x) {
    const Index begin = tile * tiles.keys;
    const int here = n - begin < tiles.keys ? static_cast<int>(n - begin) : tiles.keys;
    __syncthreads();
    block.count(keys, here);
    __syncthreads();
    block.find_places(here);
    __syncthreads();
    block.gather(keys, here);
    block.reserve(take);
    __syncthreads();
    // The next tile is on its way while this one is written.
    if (tile + gridDim.x < tiles.number) load(tile + gridDim.x);
    block.clear();
    if (state.shift <= Split::short_bits)
      block.write(static_cast<std::uint16_t*>(out), here);
    else
      block.write(static_cast<Key*>(out), here);
  }
}

}  // namespace tallcache::gpu::counting_sort
