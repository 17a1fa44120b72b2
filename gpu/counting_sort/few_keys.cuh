// The sort of few keys in one block: by a long lowest digit in no order, as equal keys are alike,
// then stably by the others.
#pragma once

#include "gpu/counting_sort/one_block_sort.cuh"

namespace tallcache::gpu::counting_sort {

/// The digits of keys of `bits` bits that a block sorts.
struct FewDigits {
  static constexpr int most_low = 14, high = 9;

  int low, bits;  ///< of the lowest digit, a power of two of whose counters are kept; of a key

  __host__ __device__ explicit constexpr FewDigits(int key_bits)
      : low(key_bits < 2 ? 2 : key_bits), bits(low) {
    if (low <= most_low) return;
    low -= (low - most_low + high - 1) / high * high;
    if (low < high) low = high;
  }
};

/// A block that sorts up to `most` keys.
template <int block_threads, int most_rows>
struct KeyBlock : OneBlock<block_threads, most_rows, FewDigits::high> {
  using Words = OneBlock<block_threads, most_rows, FewDigits::high>;
  using Words::counts, Words::words, Words::used, Words::threads;

  static constexpr std::size_t shared_bytes(const FewDigits& digits) {
    return (Words::most + (digits.low < digits.bits ? std::max(Words::counters, std::size_t{1} << digits.low)
                                                    : std::size_t{1} << digits.low)) *
           sizeof(Key);
  }

  /// `out` = the n keys of `in` sorted.
  __device__ void sort(const Key* in, Key n, Key* out, const FewDigits& digits) const {
    spread(in, n, digits.low);
    for (int low = digits.low; low < digits.bits; low += FewDigits::high) {
      Key word[Words::rows];
      this->read(word);
      this->sort_by(low, word);
    }
    for (Key i = threadIdx.x; i < n; i += threads) out[i] = words[i];
  }

 private:
  /// f(key, whether there is one) for each of the n keys. The lanes of a warp together, the first has one.
  template <class F>
  static __device__ void for_each(const Key* in, Key n, F f) {
    constexpr int at_once = 4;
    for (Key row = threadIdx.x / 32 * 32; row < n; row += at_once * threads) {
      const Key i = row + threadIdx.x % 32;
      Key key[at_once] = {};
#pragma unroll
      for (int k = 0; k < at_once; ++k)
        if (i + k * threads < n) key[k] = in[i + k * threads];
#pragma unroll
      for (int k = 0; k < at_once; ++k)
        if (row + k * threads < n) f(key[k], i + k * threads < n);
    }
  }

  /// Adds the keys of a warp to their digits' counts, and returns what these were. Additions to one count
  /// wait for each other, so keys equal to the first lane's are added together if they are many.
  __device__ Key take(Key digit, bool is_key) const {
    const Key first = __shfl_sync(~0u, digit, 0);
    const unsigned equal = __ballot_sync(~0u, is_key && digit == first);
    const bool is_grouped = is_key && __popc(equal) > 4 && equal >> threadIdx.x % 32 & 1;
    Key place = 0;
    if (is_key && (!is_grouped || threadIdx.x % 32 == 0))
      place = atomicAdd(&counts[digit], is_grouped ? __popc(equal) : 1u);
    const Key of_first = __shfl_sync(~0u, place, 0);
    return is_grouped ? of_first + __popc(equal & ((1u << threadIdx.x % 32) - 1)) : place;
  }

  /// The words are the keys by their lowest `bits` bits, and then words that no key exceeds.
  __device__ void spread(const Key* in, Key n, int bits) const {
    const Key number = 1u << bits, mask = number - 1;
    constexpr Key own = 4;  // counts
    if (threadIdx.x * 32 < n) asm volatile("prefetch.global.L2 [%0];" ::"l"(in + threadIdx.x * 32));
    for (Key c = threadIdx.x * own; c < number; c += own * threads)
      *reinterpret_cast<uint4*>(counts + c) = {};
    if (n + threadIdx.x < static_cast<Key>(used) * threads) words[n + threadIdx.x] = ~Key{0};
    __syncthreads();
    for_each(in, n, [&](Key key, bool is_key) { take(key & mask, is_key); });
    __syncthreads();
    const auto four = [this](Key c) -> uint4& { return *reinterpret_cast<uint4*>(counts + c); };
    place_counts<threads>(number, 0, four, [&](Key c, const uint4& places) { four(c) = places; });
    for_each(in, n, [&](Key key, bool is_key) {
      const Key place = take(key & mask, is_key);
      if (is_key) words[place] = key;
    });
    __syncthreads();
  }
};

template <int threads, int rows>
static __global__ void __launch_bounds__(threads)
    sort_few_keys(const Key* in, Key* out, Key n, FewDigits digits) {
  extern __shared__ __align__(16) Key memory[];
  using Block = KeyBlock<threads, rows>;
  Block{{memory, memory + Block::most, n}}.sort(in, n, out, digits);
}

/// What one block sorts sooner than several kernels start.
struct FewKeys {
  static constexpr Index most = KeyBlock<1024, 24>::most;

  static bool suits(Index n) { return n <= most; }

  static void sort(const Launch& launch, const CountingSort<false>::Args<>& args) {
    const FewDigits digits(static_cast<int>(std::bit_width(args.range)));
    // Passes by more digits take a block of more warps longer, unless it has many keys.
    using Short = KeyBlock<512, 8>;
    if (args.in.size <= (digits.low < digits.bits ? Short::most : Short::most / 2))
      sort<512, 8>(launch, args, digits);
    else
      sort<1024, 24>(launch, args, digits);
  }

 private:
  template <int threads, int rows>
  static void sort(const Launch& launch, const CountingSort<false>::Args<>& args, const FewDigits& digits) {
    const std::size_t bytes = KeyBlock<threads, rows>::shared_bytes(digits);
    allow_dynamic_shared(reinterpret_cast<const void*>(sort_few_keys<threads, rows>), bytes);
    sort_few_keys<threads, rows><<<1, threads, bytes, stream_of(launch)>>>(
        args.in.data, args.out.data, static_cast<Key>(args.in.size), digits);
    check_launch();
  }
};

}  // namespace tallcache::gpu::counting_sort
