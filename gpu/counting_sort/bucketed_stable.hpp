// The bucketed counting sort of pairs: a stable pass by the highest digit makes 256 buckets, and a block
// sorts each of them by the lower digits, in passes that stay within the second-level cache.
#pragma once

#include "gpu/counting_sort/digit_pass.hpp"

namespace tallcache::gpu::counting_sort {

/// Sorts bucket blockIdx.x of `from` stably by its bits [0, shift), a digit at a time, between `from` and
/// `other`. bucket_first[b * tiles] is where bucket b starts.
template <bool with_payload>
struct SortBucketByDigits {
  static constexpr int max_threads = tile_threads;

  template <class Thread, class Records, class First>
  TALLCACHE_DEVICE void operator()(const Thread& t, Records from, Records other, int shift,
                                   First bucket_first, Index tiles) const {
    auto&& start = shared<0, Key[digits]>(t);
    auto&& count = shared<1, Key[tile_warps][digits]>(t);
    const Index begin = bucket_first[t.block().x * tiles];
    const Index end = t.block().x + 1 < t.grid_dim().x
                          ? static_cast<Index>(bucket_first[(t.block().x + 1) * tiles])
                          : from.size;
    if (begin == end) return;
    for (int low = 0; low < shift; low += digit_bits) {
      for (int d = t.thread().x; d < digits; d += tile_threads) start[d] = 0;
      t.sync();
      for (Index i = begin + t.thread().x; i < end; i += tile_threads)
        t.atomic_add(start[digit_of(from.keys[i], low)], 1u);
      t.sync();
      if (t.thread().x == 0) {
        Key sum = static_cast<Key>(begin);
        for (int d = 0; d < digits; ++d) {
          const Key keys_of_digit = start[d];
          start[d] = sum;
          sum += keys_of_digit;
        }
      }
      t.sync();
      for (Index tile = begin; tile < end; tile += tile_keys)
        place_tile<with_payload>(t, from, other, tile, tile + tile_keys < end ? tile + tile_keys : end, low,
                                 start, count);
      const auto sorted = other;
      other = from;
      from = sorted;
    }
  }
};

struct bucketed_stable : OnGpu {
  static constexpr std::string_view idea =
      "pairs into 256 buckets by the highest digit, stably, then a block sorts each bucket by the lower "
      "digits within "
      "the second-level cache; applies privatisation, tiling, coarsening";
  static constexpr std::string_view source = "M8: Counting sort: a cache-friendly algorithm, on the GPU";
  static constexpr std::string_view uses = "CUB: the prefix sums (DeviceScan)";
  using operations = OperationList<CountingSort<true>>;
  static constexpr PhaseSpec phases[] = {{"preprocessing"}, {"sorting"}};

  template <class Device = const Launch>
  static std::size_t scratch(CountingSort<true>, const Shape& shape, const Params&) {
    const std::size_t keys = checked_product(shape["n"], sizeof(Key), "keys");
    return scratch_bytes({keys, keys, DigitPass<Device>::scratch_for(shape["n"])});
  }

  template <int phase, class Device, class Args>
  static void call(Device& device, const Args& args, const Params&) {
    const Index n = args.in.size;
    if (n == 0) return;
    auto scratch = args.scratch;
    const auto out = records_of(args.out, args.payload_out);
    const auto other_keys = scratch.template vector<Key>(n), other_payload = scratch.template vector<Key>(n);
    const auto other = records_of(other_keys, other_payload);
    const DigitPass<Device, typename decltype(args.in)::access_type> digit(scratch, n);
    const int bits = static_cast<int>(std::bit_width(std::uint64_t{args.range}));
    const int shift = std::max(0, bits - digit_bits);
    // The last pass ends in the output.
    const bool even = ceil_div(shift, digit_bits) % 2 == 0;
    const auto &bucketed = even ? out : other, &spare = even ? other : out;
    if constexpr (phase == 0) {
      digit.template run<true>(device, records_of(args.in, args.payload_in), bucketed, shift);
    } else if (shift) {
      const VectorView<const Key, typename decltype(args.in)::access_type> bucket_first = digit.counts;
      launch_kernel(device, SortBucketByDigits<true>{}, {{digits}, {tile_threads}}, bucketed, spare, shift,
                    bucket_first, DigitPass<Device>::tiles_of(n));
    }
  }
};

}  // namespace tallcache::gpu::counting_sort
