// The bucketed counting sort on the GPU: the keys go into buckets of neighbouring values first, and then a
// block sorts each bucket with counts that fit into its shared memory.
#pragma once

#include <cub/block/block_scan.cuh>

#include "common/ops/counting_sort.hpp"
#include "gpu/scan.hpp"

namespace tallcache::gpu::counting_sort {

using Key = std::uint32_t;

/// Buckets of 2^shift neighbouring values.
struct Buckets {
  static constexpr Index most = 8192;             ///< whose counts fit into a block's 32 KB
  static constexpr Index counts_a_block = 16384;  ///< 64 KB: three blocks share a multiprocessor
  int shift;
  Index number;

  /// At most `wanted` of them. 0: 512 or more, of counts_a_block values at most while `most` of them are
  /// enough.
  Buckets(Index range, Index wanted) {
    const auto least_shift = [range](Index buckets) {
      int s = 0;
      while (range >> s >= buckets) ++s;
      return s;
    };
    constexpr int full = 14;
    static_assert(Index{1} << full == counts_a_block);
    shift = least_shift(wanted ? std::min(wanted, most) : 512);
    if (!wanted && shift > full) shift = std::max(full, least_shift(most));
    number = (range >> shift) + 1;
  }

  __host__ __device__ Index of(Key key) const { return static_cast<Index>(std::uint64_t{key} >> shift); }
};

inline constexpr int count_threads = 512, keys_a_thread_placed = 16;
inline constexpr Index placed_tile = Index{count_threads} * keys_a_thread_placed;

/// count[b] += the keys of bucket b in this block's tile, counted in shared memory first.
inline __global__ void __launch_bounds__(count_threads)
    count_buckets(VectorView<const Key> in, Buckets buckets, VectorView<Key> count) {
  extern __shared__ Key own[];
  for (Index b = threadIdx.x; b < buckets.number; b += count_threads) own[b] = 0;
  __syncthreads();
  const Index begin = blockIdx.x * placed_tile + threadIdx.x;
#pragma unroll
  for (int e = 0; e < keys_a_thread_placed; ++e) {
    const Index i = begin + e * count_threads;
    if (i < in.size) atomicAdd(&own[buckets.of(in[i])], 1u);
  }
  __syncthreads();
  for (Index b = threadIdx.x; b < buckets.number; b += count_threads)
    if (own[b]) atomicAdd(&count[b], own[b]);
}

/// The keys of this block's tile into their buckets. Within the tile a key's rank among those of its bucket
/// is an atomic addition in shared memory; the tile's room in a bucket is one atomic addition to
/// next[bucket].
inline __global__ void __launch_bounds__(count_threads)
    place_in_buckets(VectorView<const Key> in, VectorView<Key> out, Buckets buckets, VectorView<Key> next) {
  extern __shared__ Key own[];
  for (Index b = threadIdx.x; b < buckets.number; b += count_threads) own[b] = 0;
  __syncthreads();
  const Index begin = blockIdx.x * placed_tile + threadIdx.x;
  Key key[keys_a_thread_placed], rank[keys_a_thread_placed];
#pragma unroll
  for (int e = 0; e < keys_a_thread_placed; ++e)
    if (begin + e * count_threads < in.size) key[e] = in[begin + e * count_threads];
#pragma unroll
  for (int e = 0; e < keys_a_thread_placed; ++e)
    if (begin + e * count_threads < in.size) rank[e] = atomicAdd(&own[buckets.of(key[e])], 1u);
  __syncthreads();
  for (Index b = threadIdx.x; b < buckets.number; b += count_threads)
    if (own[b]) own[b] = atomicAdd(&next[b], own[b]);
  __syncthreads();
#pragma unroll
  for (int e = 0; e < keys_a_thread_placed; ++e)
    if (begin + e * count_threads < in.size) out[own[buckets.of(key[e])] + rank[e]] = key[e];
}

inline constexpr int sort_threads = 512;

/// Writes each lane's `key` to out[begin, end). Short runs are written by their lanes, long ones by the whole
/// warp, so that one value that is most of the keys does not leave 31 lanes idle.
inline __device__ void write_run(VectorView<Key> out, Key key, Key begin, Key end) {
  constexpr Key longest = 8;
  const bool is_long = end - begin > longest;
  if (!is_long)
    for (Key i = begin; i < end; ++i) out[i] = key;
  for (unsigned left = __ballot_sync(~0u, is_long); left; left &= left - 1) {
    const int lane = __ffs(left) - 1;
    const Key its_key = __shfl_sync(~0u, key, lane), its_end = __shfl_sync(~0u, end, lane);
    for (Key i = __shfl_sync(~0u, begin, lane) + threadIdx.x % 32; i < its_end; i += 32) out[i] = its_key;
  }
}

/// A counting sort of each bucket, a block a bucket: its counts in shared memory, their prefix sums, and each
/// value written as often as it was counted. A bucket of more values than the counts have room for is read
/// once for each part of its values.
inline __global__ void __launch_bounds__(sort_threads, 3)
    sort_buckets(VectorView<const Key> bucketed, VectorView<Key> out, Buckets buckets,
                 VectorView<const Key> first, Index range, int counts) {
  using Scan = cub::BlockScan<Key, sort_threads>;
  __shared__ typename Scan::TempStorage scan;
  extern __shared__ Key count[];  // one more than `counts`: the end of the last
  const Key begin = first[blockIdx.x], end = first[blockIdx.x + 1];
  if (begin == end) return;
  const Index least = Index{blockIdx.x} << buckets.shift;
  const Index beyond =
      range + 1 < least + (Index{1} << buckets.shift) ? range + 1 : least + (Index{1} << buckets.shift);
  Key place = begin;
  for (Index part = least; part < beyond; part += counts) {
    for (int c = threadIdx.x; c < counts; c += sort_threads) count[c] = 0;
    __syncthreads();
    for (Index i = Index{begin} + threadIdx.x; i < end; i += sort_threads) {
      const Key c = bucketed[i] - static_cast<Key>(part);  // of a smaller key: beyond every count
      if (c < static_cast<Key>(counts)) atomicAdd(&count[c], 1u);
    }
    __syncthreads();
    for (int c = threadIdx.x; c < counts; c += sort_threads) {
      Key sum, total;
      Scan(scan).ExclusiveSum(count[c], sum, total);
      count[c] = place + sum;
      place += total;
      __syncthreads();
    }
    if (threadIdx.x == 0) count[counts] = place;
    __syncthreads();
    for (int c = threadIdx.x; c < counts; c += sort_threads)
      write_run(out, static_cast<Key>(part + c), count[c], count[c + 1]);
    __syncthreads();
  }
}

struct bucketed : OnGpu {
  static constexpr std::string_view idea =
      "the keys into buckets of neighbouring values first, then a counting sort of each in a block's shared "
      "memory, "
      "which writes the values as often as it counted them; applies privatisation, tiling, coarsening";
  static constexpr std::string_view source = "M8: Counting sort: a cache-friendly algorithm, on the GPU";
  using operations = OperationList<CountingSort<false>>;
  static constexpr ParamSpec params[] = {
      {"buckets", 0, "at most so many, up to 8192; 0: 512 to 8192, by the range", 0}};
  static constexpr PhaseSpec phases[] = {{"preprocessing"}, {"sorting"}};

  static std::size_t scratch(CountingSort<false>, const Shape& shape, const Params& params) {
    const Buckets buckets(shape["range"], params["buckets"]);
    const std::size_t counts = (buckets.number + 1) * sizeof(Key);
    return scratch_bytes(
        {counts, counts, checked_product(shape["n"], sizeof(Key), "keys"), scan_bytes(buckets.number + 1)});
  }

  template <int phase>
  static void call(const Launch& launch, const CountingSort<false>::Args<>& args, const Params& params) {
    if (args.in.size == 0) return;
    const Buckets buckets(args.range, params["buckets"]);
    auto scratch = args.scratch;
    const auto first = scratch.vector<Key>(buckets.number + 1),
               next = scratch.vector<Key>(buckets.number + 1);
    const auto keys = scratch.vector<Key>(args.in.size);
    const auto scan = scratch.vector<std::byte>(static_cast<Index>(scan_bytes(first.size)));
    if constexpr (phase == 0) {
      const std::size_t bytes = first.size * sizeof(Key), own = buckets.number * sizeof(Key);
      const unsigned tiles = grid_of(blocks_of(args.in.size, placed_tile));
      TALLCACHE_CUDA(cudaMemsetAsync(first.data, 0, bytes, stream_of(launch)));
      count_buckets<<<tiles, count_threads, own, stream_of(launch)>>>(args.in, buckets, first);
      check_launch();
      exclusive_scan(first, scan, launch);
      TALLCACHE_CUDA(
          cudaMemcpyAsync(next.data, first.data, bytes, cudaMemcpyDeviceToDevice, stream_of(launch)));
      place_in_buckets<<<tiles, count_threads, own, stream_of(launch)>>>(args.in, keys, buckets, next);
      check_launch();
    } else {
      // A whole number of counts a thread: all threads take part in every step of the prefix sums.
      const int counts = static_cast<int>(std::min(
          Buckets::counts_a_block, blocks_of(Index{1} << buckets.shift, sort_threads) * sort_threads));
      const int bytes = (counts + 1) * static_cast<int>(sizeof(Key));
      TALLCACHE_CUDA(cudaFuncSetAttribute(sort_buckets, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                          (Buckets::counts_a_block + 1) * static_cast<int>(sizeof(Key))));
      sort_buckets<<<grid_of(buckets.number), sort_threads, bytes, stream_of(launch)>>>(
          keys, args.out, buckets, first, Index{args.range}, counts);
      check_launch();
    }
  }
};

}  // namespace tallcache::gpu::counting_sort
