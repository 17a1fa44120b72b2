// CUB's radix sort of pairs with digits of 9 bits where these save a pass over the 8 bits that it takes
// by itself.
#pragma once

#include <bit>
#include <cub/device/dispatch/dispatch_radix_sort.cuh>
#include <limits>

#include "common/ops/counting_sort.hpp"
#include "gpu/check.hpp"
#include "gpu/counting_sort/one_block_sort.cuh"
#include "gpu/on_gpu.hpp"
#include "gpu/peers/cub_radix_sort.hpp"

namespace tallcache::gpu::counting_sort {

/// CUB's tuning of pairs of 32 and 32 bits for compute capability 9.0, but for the width of a digit, and with
/// more warps of fewer pairs.
struct NineBitPolicies {
  using Tuned = cub::detail::radix::policy_hub<std::uint32_t, std::uint32_t, std::uint32_t>;
  struct Policy : cub::ChainedPolicy<900, Policy, Policy>,
                  Tuned::OnesweepSmallKeyTunedPolicy<cub::detail::radix::sm90_small_key_tuning<4, 4, 4>> {
    static constexpr int ONESWEEP_RADIX_BITS = 9;
    using HistogramPolicy =
        cub::AgentRadixSortHistogramPolicy<128, 16, 1, std::uint32_t, ONESWEEP_RADIX_BITS>;
    using ExclusiveSumPolicy = cub::AgentRadixSortExclusiveSumPolicy<256, ONESWEEP_RADIX_BITS>;
    using OnesweepPolicy =
        cub::AgentRadixSortOnesweepPolicy<512, 17, std::uint32_t, 1, cub::RADIX_RANK_MATCH_EARLY_COUNTS_ANY,
                                          cub::BLOCK_SCAN_RAKING_MEMOIZE, cub::RADIX_SORT_STORE_DIRECT,
                                          ONESWEEP_RADIX_BITS>;
  };
  using MaxPolicy = Policy;
};

struct nine_bit_onesweep : OnGpu {
  static constexpr std::string_view idea =
      "cub::DeviceRadixSort's kernels with digits of 9 bits where these save a pass, and as it tunes itself "
      "where they do not; few pairs in one block, as wide_digits sorts them; indices of 32 bits";
  static constexpr std::string_view source = "CUB; Adinets and Merrill 2022, arXiv:2206.01784 (onesweep)";
  static constexpr std::string_view uses =
      "CUB: the kernels of its radix sort, for all but the few pairs that one block sorts";
  using operations = OperationList<CountingSort<true>>;

  static std::string runs_as(const Shape& shape, int) {
    if (FewPairs::suits(shape["n"], shape["range"])) return "";
    return nine_bits_save_a_pass(end_bit_of(static_cast<std::uint32_t>(shape["range"])))
               ? "CUB's radix sort with digits of 9 bits"
               : "CUB's radix sort";
  }

  static bool supports(const Shape& shape) { return shape["n"] <= std::numeric_limits<std::uint32_t>::max(); }

  static std::size_t scratch(CountingSort<true>, const Shape& shape, const Params&) {
    if (FewPairs::suits(shape["n"], shape["range"])) return 0;
    CountingSort<true>::Args<> args{};
    args.in.size = shape["n"];
    args.range = static_cast<std::uint32_t>(shape["range"]);
    std::size_t bytes = 0;
    sort(nullptr, bytes, args, nullptr);
    return scratch_bytes({bytes});
  }

  static void call(const Launch& launch, const CountingSort<true>::Args<>& args, const Params&) {
    if (args.in.size == 0) return;
    if (FewPairs::suits(args.in.size, args.range)) return sort_in_block(launch, args);
    // All of the scratch, whose size CUB has given: asking again takes the host as long as starting the sort.
    auto scratch = args.scratch;
    std::size_t bytes = scratch.bytes_left();
    std::byte* memory = scratch.vector<std::byte>(static_cast<Index>(bytes)).data;
    sort(memory, bytes, args, stream_of(launch));
  }

 private:
  static int end_bit_of(std::uint32_t range) { return std::max(1, static_cast<int>(std::bit_width(range))); }
  static bool nine_bits_save_a_pass(int end_bit) { return ceil_div(end_bit, 9) < ceil_div(end_bit, 8); }

  static void sort(void* memory, std::size_t& bytes, const CountingSort<true>::Args<>& args,
                   cudaStream_t stream) {
    const int end_bit = end_bit_of(args.range);
    if (!nine_bits_save_a_pass(end_bit)) return peers::cub_radix_sort::sort(memory, bytes, args, stream);
    using NineBits = cub::DispatchRadixSort<cub::SortOrder::Ascending, Key, Key, std::uint32_t,
                                            cub::detail::identity_decomposer_t, NineBitPolicies>;
    cub::DoubleBuffer<Key> keys(const_cast<Key*>(args.in.data), args.out.data);
    cub::DoubleBuffer<Key> values(const_cast<Key*>(args.payload_in.data), args.payload_out.data);
    constexpr bool may_overwrite = false;  // the input; so the pairs end in the output
    TALLCACHE_CUDA(NineBits::Dispatch(memory, bytes, keys, values, static_cast<std::uint32_t>(args.in.size),
                                      0, end_bit, may_overwrite, stream));
  }
};

}  // namespace tallcache::gpu::counting_sort
