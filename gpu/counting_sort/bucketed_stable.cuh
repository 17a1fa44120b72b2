// The bucketed counting sort of pairs: a stable pass by the highest digit makes 256 buckets, and a block
// sorts each of them by the lower digits, in passes that stay within the second-level cache.
#pragma once

#include "gpu/counting_sort/digit_pass.cuh"

namespace tallcache::gpu::counting_sort {

/// Sorts bucket blockIdx.x of `from` stably by its bits [0, shift), a digit at a time, between `from` and
/// `other`. bucket_first[b * tiles] is where bucket b starts.
template <bool with_payload>
__global__ void __launch_bounds__(tile_threads)
    sort_bucket_by_digits(Records from, Records other, int shift, VectorView<const Key> bucket_first,
                          Index tiles) {
  __shared__ Key start[digits];
  __shared__ Key count[tile_warps][digits];
  const Index begin = bucket_first[blockIdx.x * tiles];
  const Index end = blockIdx.x + 1 < gridDim.x ? Index{bucket_first[(blockIdx.x + 1) * tiles]} : from.size;
  if (begin == end) return;
  for (int low = 0; low < shift; low += digit_bits) {
    for (int d = threadIdx.x; d < digits; d += tile_threads) start[d] = 0;
    __syncthreads();
    for (Index i = begin + threadIdx.x; i < end; i += tile_threads)
      atomicAdd(&start[digit_of(from.keys[i], low)], 1u);
    __syncthreads();
    if (threadIdx.x == 0) {
      Key sum = static_cast<Key>(begin);
      for (int d = 0; d < digits; ++d) {
        const Key keys_of_digit = start[d];
        start[d] = sum;
        sum += keys_of_digit;
      }
    }
    __syncthreads();
    for (Index tile = begin; tile < end; tile += tile_keys)
      place_tile<with_payload>(from, other, tile, tile + tile_keys < end ? tile + tile_keys : end, low, start,
                               count);
    const Records sorted = other;
    other = from;
    from = sorted;
  }
}

struct bucketed_stable : OnGpu {
  static constexpr std::string_view idea =
      "pairs into 256 buckets by the highest digit, stably, then a block sorts each bucket by the lower "
      "digits within "
      "the second-level cache; applies privatisation, tiling, coarsening";
  static constexpr std::string_view source = "M8: Counting sort: a cache-friendly algorithm, on the GPU";
  using operations = OperationList<CountingSort<true>>;
  static constexpr PhaseSpec phases[] = {{"preprocessing"}, {"sorting"}};

  static std::size_t scratch(CountingSort<true>, const Shape& shape, const Params&) {
    const std::size_t keys = checked_product(shape["n"], sizeof(Key), "keys");
    return scratch_bytes({keys, keys, DigitPass::scratch(shape["n"])});
  }

  template <int phase>
  static void call(const Launch& launch, const CountingSort<true>::Args<>& args, const Params&) {
    const Index n = args.in.size;
    if (n == 0) return;
    auto scratch = args.scratch;
    const Records out{args.out, args.payload_out};
    const Records other{scratch.vector<Key>(n), scratch.vector<Key>(n)};
    const DigitPass digit(scratch, n);
    const int bits = static_cast<int>(std::bit_width(std::uint64_t{args.range}));
    const int shift = std::max(0, bits - digit_bits);
    // The last pass ends in the output.
    const bool even = blocks_of(shift, digit_bits) % 2 == 0;
    const Records &bucketed = even ? out : other, &spare = even ? other : out;
    if constexpr (phase == 0) {
      digit.run<true>(launch, {args.in, args.payload_in}, bucketed, shift);
    } else if (shift) {
      sort_bucket_by_digits<true><<<digits, tile_threads, 0, stream_of(launch)>>>(
          bucketed, spare, shift, digit.counts, DigitPass::tiles_of(n));
      check_launch();
    }
  }
};

}  // namespace tallcache::gpu::counting_sort
