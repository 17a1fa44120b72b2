// The stable sort of few words or pairs in one block's shared memory, by a few digits.
#pragma once

#include "gpu/counting_sort/warp_rank.cuh"
#include "gpu/kernel_limits.hpp"

namespace tallcache::gpu::counting_sort {

/// The words of a block, which it sorts stably by digits of `digit_bits` bits.
template <int block_threads, int most_rows, int digit_bits>
struct OneBlock {
  static constexpr int threads = block_threads, rows = most_rows, warps = threads / 32;
  static constexpr Index most = Index{threads} * rows;
  static constexpr std::size_t counters = std::size_t{warps} << digit_bits;
  using Places = PlacesInTile<threads>;

  Key *words, *counts;
  int used;  ///< rows of a warp

  __device__ OneBlock(Key* own_words, Key* own_counts, Key number)
      : words(own_words), counts(own_counts), used((number + threads - 1) / threads) {}

  __device__ Key row_begin() const { return threadIdx.x / 32 * (used * 32) + threadIdx.x % 32; }

  /// Sorts the words by the digit from bit `low` on. They are in registers, and not being read elsewhere.
  __device__ void sort_by(int low, const Key (&word)[rows]) const {
    Key* const own = counts + (threadIdx.x / 32 << digit_bits);
    clear_counts(own, 1 << digit_bits);
    const auto digit_of = [&](Key w) { return w >> low & ((1u << digit_bits) - 1); };
#pragma unroll
    for (int r = 0; r < rows; ++r)
      if (r < used) atomicAdd(&own[digit_of(word[r])], 1u);
    __syncthreads();
    const Places places{counts, 1 << digit_bits};
    places.place(places.count());
    __syncthreads();
    place_in_order<digit_bits, 1>(word, used, own, digit_of, [&](Key w, Key place) { words[place] = w; });
    __syncthreads();
  }

  __device__ void read(Key (&word)[rows]) const {
#pragma unroll
    for (int r = 0; r < rows; ++r)
      if (r < used) word[r] = words[row_begin() + r * 32];
  }
};

/// Pairs: a word is a key and the pair's position, and fetches the value in the end.
struct FewPairs : OneBlock<512, 20, 7> {
  static constexpr int position_bits = 14, max_key_bits = 32 - position_bits, digit_bits = 7;
  static_assert(most < Index{1} << position_bits);
  static constexpr Key position_mask = (1u << position_bits) - 1;
  static constexpr std::size_t shared_bytes = (2 * most + counters) * sizeof(Key);

  static bool suits(Index n, Index range) { return n <= most && range >> max_key_bits == 0; }
};

/// `out` = `in` sorted, n pairs with keys of `key_bits` bits.
static __global__ void __launch_bounds__(FewPairs::threads)
    sort_in_one_block(const Key* in_keys, const Key* in_values, Key* out_keys, Key* out_values, Key n,
                      int key_bits) {
  extern __shared__ __align__(16) Key memory[];
  Key* const values = memory + FewPairs::most;
  const FewPairs block{{memory, values + FewPairs::most, n}};
  Key word[FewPairs::rows];
#pragma unroll
  for (int r = 0; r < FewPairs::rows; ++r) {
    const Key i = block.row_begin() + r * 32;
    word[r] = ~Key{0};
    if (r >= block.used || i >= n) continue;
    word[r] = in_keys[i] << FewPairs::position_bits | i;
    values[i] = in_values[i];
  }
  for (int low = 0; low < key_bits; low += FewPairs::digit_bits) {
    if (low) block.read(word);
    block.sort_by(FewPairs::position_bits + low, word);
  }
  for (Key i = threadIdx.x; i < n; i += FewPairs::threads) {
    const Key sorted = block.words[i];
    out_keys[i] = sorted >> FewPairs::position_bits;
    out_values[i] = values[sorted & FewPairs::position_mask];
  }
}

inline void sort_in_block(const Launch& launch, const CountingSort<true>::Args<>& args) {
  allow_dynamic_shared(reinterpret_cast<const void*>(sort_in_one_block), FewPairs::shared_bytes);
  sort_in_one_block<<<1, FewPairs::threads, FewPairs::shared_bytes, stream_of(launch)>>>(
      args.in.data, args.payload_in.data, args.out.data, args.payload_out.data,
      static_cast<Key>(args.in.size), std::max(1, static_cast<int>(std::bit_width(args.range))));
  check_launch();
}

}  // namespace tallcache::gpu::counting_sort
