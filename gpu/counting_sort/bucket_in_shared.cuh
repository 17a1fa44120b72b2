// The stable sort of a bucket in a block's shared memory: words of a key's distance from the bucket's least
// and of the pair's position are sorted by a few digits, and fetch the values in the end.
#pragma once

#include <cuda_pipeline.h>

#include "gpu/counting_sort/digit_sweep.cuh"

namespace tallcache::gpu::counting_sort {

/// A bucket in shared memory.
struct BucketBlock {
  static constexpr int threads = SharedBucket::threads, rows = SharedBucket::pairs_a_thread;
  static constexpr int position_bits = SharedBucket::position_bits;
  static constexpr int most_digit_bits = 8;
  static constexpr Key position_mask = (1u << position_bits) - 1;
  using Places = PlacesInTile<threads>;
  static constexpr std::size_t shared_bytes =
      2 * SharedBucket::most * sizeof(Key) + (threads / 32 << most_digit_bits) * sizeof(std::uint16_t);

  Key *words, *values;
  std::uint16_t* counts;
  int used;  ///< rows of a warp

  __device__ BucketBlock(Key* memory, Key pairs) {
    words = memory;
    values = words + SharedBucket::most;
    counts = reinterpret_cast<std::uint16_t*>(values + SharedBucket::most);
    used = (pairs + threads - 1) / threads;
  }

  __device__ Key row_begin() const { return threadIdx.x / 32 * (used * 32) + threadIdx.x % 32; }

  /// Sorts the words by `bits` bits from `low` on. All words of the block are in registers, none is being
  /// read in shared memory.
  template <int bits>
  __device__ void sort_by(int low, const Key (&word)[rows], typename Places::Scan::TempStorage& scan) const {
    std::uint16_t* const own = counts + (threadIdx.x / 32 << bits);
    clear_counts(own, 1 << bits);
    const auto digit_of = [&](Key w) { return w >> low & ((1u << bits) - 1); };
    Ranks<rows> ranks;
    rank_in_warp<bits>(word, used, own, digit_of, ranks);
    __syncthreads();
    const Places places{counts, 1 << bits};
    places.place(places.count(), scan);
    __syncthreads();
#pragma unroll
    for (int r = 0; r < rows; ++r)
      if (r < used) words[own[digit_of(word[r])] + ranks.get(r)] = word[r];
    __syncthreads();
  }

  __device__ void read(Key (&word)[rows]) const {
#pragma unroll
    for (int r = 0; r < rows; ++r)
      if (r < used) word[r] = words[row_begin() + r * 32];
  }
};

/// Sorts each bucket, a block a bucket, if they are even; or, without counts, all pairs as one.
static __global__ void __launch_bounds__(SharedBucket::threads, 2)
    sort_buckets(const __grid_constant__ DigitPlan plan, const __grid_constant__ PairState state, Pairs from,
                 Pairs to, int residue_bits) {
  extern __shared__ __align__(16) Key memory[];
  __shared__ typename BucketBlock::Places::Scan::TempStorage scan;
  const bool is_only = !state.has_even_buckets;
  if (!is_only && !*state.has_even_buckets) return;
  const Key* const first = state.buckets.of_tile + blockIdx.x;  // in the first tile's row
  const Key begin = is_only ? 0 : first[0];
  const Key end = is_only || blockIdx.x + 1 == gridDim.x ? plan.n : first[1];
  if (begin == end) return;
  const Key pairs = end - begin, least = blockIdx.x ? plan.buckets.least(blockIdx.x) : 0;
  const BucketBlock block(memory, pairs);

  Key word[BucketBlock::rows];
#pragma unroll
  for (int r = 0; r < BucketBlock::rows; ++r)
    if (r < block.used) {
      const Key i = block.row_begin() + r * 32;
      word[r] = i < pairs ? (from.keys[begin + i] - least) << BucketBlock::position_bits | i : ~Key{0};
    }
  for (Key i = threadIdx.x; i < pairs; i += BucketBlock::threads)
    __pipeline_memcpy_async(block.values + i, from.values + begin + i, sizeof(Key));
  __pipeline_commit();

  const int passes = (residue_bits + BucketBlock::most_digit_bits - 1) / BucketBlock::most_digit_bits;
  const int bits = (residue_bits + passes - 1) / passes;
  for (int p = 0; p < passes; ++p) {
    if (p) block.read(word);
    const int low = BucketBlock::position_bits + p * bits;
    if (bits <= 7)
      block.sort_by<7>(low, word, scan);
    else
      block.sort_by<8>(low, word, scan);
  }
  __pipeline_wait_prior(0);
  __syncthreads();
#pragma unroll 4
  for (Key i = threadIdx.x; i < pairs; i += BucketBlock::threads) {
    const Key sorted = block.words[i];
    to.keys[begin + i] = least + (sorted >> BucketBlock::position_bits);
    to.values[begin + i] = block.values[sorted & BucketBlock::position_mask];
  }
}

}  // namespace tallcache::gpu::counting_sort
