// The stable sort of pairs for the whole device, in as few passes as possible, by wide digits.
#pragma once

#include "gpu/counting_sort/digit_sweep.cuh"
#include "gpu/counting_sort/one_block_sort.cuh"
#include "gpu/kernel_limits.hpp"
#include "gpu/peers/cub_radix_sort.hpp"

namespace tallcache::gpu::counting_sort {

struct wide_digits : OnSharedMemory<SweepBlock::shared_bytes(DigitPlan::max_digits)> {
  static constexpr std::string_view idea =
      "stable pairs in passes by digits of up to 9 bits, each of which reads and writes a pair once, packed "
      "between the passes; digits that all keys share, or all keys of one leading digit, are left out; "
      "applies privatisation, coalescing, tiling";
  static constexpr std::string_view source = "Adinets and Merrill 2022, arXiv:2206.01784 (onesweep)";
  static constexpr std::string_view uses = "CUB: all of the sort for 2^30 pairs and more (cub_radix_sort)";
  using operations = OperationList<CountingSort<true>>;

  static std::string runs_as(const Shape& shape, int) {
    return shape["n"] < max_keys ? "" : "cub_radix_sort";
  }

  static std::size_t scratch(CountingSort<true> op, const Shape& shape, const Params& params) {
    const Index n = shape["n"], range = shape["range"];
    if (n >= max_keys) return peers::cub_radix_sort::scratch(op, shape, params);
    if (n == 0 || FewPairs::suits(n, range)) return 0;
    std::size_t bytes = 2 * scratch_bytes({checked_product(n, sizeof(uint2), "pairs")});
    PairState(plan_of(n, static_cast<Key>(range)),
              [&](std::size_t part) -> void* { return bytes += scratch_bytes({part}), nullptr; });
    return bytes;
  }

  static void call(const Launch& launch, const CountingSort<true>::Args<>& args, const Params& params) {
    const Index n = args.in.size;
    if (n == 0) return;
    if (n >= max_keys) return peers::cub_radix_sort::call(launch, args, params);
    if (FewPairs::suits(n, args.range)) return sort_in_block(launch, args);
    sort(launch, args);
  }

 private:
  using Args = CountingSort<true>::Args<>;
  static constexpr Index max_keys = Index{1} << 30;  ///< a tile's counts have 30 bits

  static DigitPlan plan_of(Index n, Key range) { return DigitPlan(n, range, multiprocessors()); }

  static void sort(const Launch& launch, const Args& args) {
    const DigitPlan plan = plan_of(args.in.size, args.range);
    auto scratch = args.scratch;
    const PairState state(plan, [&](std::size_t bytes) {
      return scratch.template vector<std::byte>(static_cast<Index>(bytes)).data;
    });
    PairBuffers buffers{{const_cast<Key*>(args.in.data), const_cast<Key*>(args.payload_in.data)},
                        {args.out.data, args.payload_out.data},
                        {}};
    for (uint2*& packed : buffers.packed) packed = scratch.vector<uint2>(plan.n).data;
    const cudaStream_t stream = stream_of(launch);
    clear_words<<<1, 1024, 0, stream>>>(state.count, static_cast<int>(state.zeroed));
    check_launch();
    const auto counting = static_cast<unsigned>(
        std::min<Index>(ceil_div(plan.n, 4 * count_digits_threads), 2 * multiprocessors()));
    const std::size_t counters = (plan.passes + 1) * DigitPlan::max_digits * sizeof(Key);
    launch_dependent(count_digits, counting, count_digits_threads, counters, stream, args.in.data, plan,
                     state);
    const std::size_t bytes = SweepBlock::shared_bytes(plan.max_padded());
    allow_dynamic_shared(reinterpret_cast<const void*>(sweep_digit), bytes);
    const auto sweeping = std::min(plan.tiling.tiles, static_cast<Key>(multiprocessors()));
    for (int pass = 0; pass < plan.passes; ++pass)
      launch_dependent(sweep_digit, sweeping, SweepTile::threads, bytes, stream, plan, state, buffers, pass);
  }
};

}  // namespace tallcache::gpu::counting_sort
