// The stable sort of pairs for the whole device, in as few passes as possible, by wide digits.
#pragma once

#include "gpu/counting_sort/clear_words.cuh"
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
    if (n == 0 || range == 0 || FewPairs::suits(n, range)) return 0;
    const Memory memory(plan_of(n, static_cast<Key>(range)));
    return scratch_bytes({memory.zeroed * sizeof(Key), memory.first * sizeof(Key), sizeof(Route),
                          memory.table * sizeof(Key), memory.table * sizeof(Key),
                          checked_product(n, sizeof(uint2), "pairs"),
                          checked_product(n, sizeof(uint2), "pairs")});
  }

  static void call(const Launch& launch, const CountingSort<true>::Args<>& args, const Params& params) {
    const Index n = args.in.size;
    if (n == 0) return;
    if (n >= max_keys) return peers::cub_radix_sort::call(launch, args, params);
    if (args.range == 0) return copy(launch, args);
    if (FewPairs::suits(n, args.range)) return sort_in_block(launch, args);
    sort(launch, args);
  }

 private:
  using Args = CountingSort<true>::Args<>;
  static constexpr Index max_keys = Index{1} << 30;  ///< a tile's counts have 30 bits

  static DigitPlan plan_of(Index n, Key range) { return DigitPlan(n, range, multiprocessors()); }

  /// Elements of scratch.
  struct Memory {
    Index first, zeroed, table;
    explicit Memory(const DigitPlan& plan)
        : first(plan.passes * DigitPlan::max_digits),
          zeroed(first + DigitPlan::max_passes + 2),
          table(plan.tiling.tiles * plan.max_padded()) {}
  };

  static void copy(const Launch& launch, const Args& args) {
    copy_elements(launch, args.out, args.in);
    copy_elements(launch, args.payload_out, args.payload_in);
  }

  static PairBuffers buffers_of(const Args& args) {
    return {{const_cast<Key*>(args.in.data), const_cast<Key*>(args.payload_in.data)},
            {args.out.data, args.payload_out.data},
            {}};
  }

  template <class Kernel>
  static void allow_shared(Kernel* kernel, std::size_t bytes) {
    allow_dynamic_shared(reinterpret_cast<const void*>(kernel), bytes);
  }

  static void sort(const Launch& launch, const Args& args) {
    const DigitPlan plan = plan_of(args.in.size, args.range);
    const Memory memory(plan);
    auto scratch = args.scratch;
    const auto zeroed = scratch.vector<Key>(memory.zeroed);
    PairState state{};
    state.count = zeroed.data;
    state.tickets = state.count + memory.first;
    state.blocks_done = state.tickets + DigitPlan::max_passes;
    state.differing = state.blocks_done + 1;
    state.first = scratch.vector<Key>(memory.first).data;
    state.route = scratch.vector<Route>(1).data;
    for (Key*& table : state.table) table = scratch.vector<Key>(memory.table).data;
    state.table_size = memory.table;
    PairBuffers buffers = buffers_of(args);
    for (uint2*& packed : buffers.packed) packed = scratch.vector<uint2>(plan.n).data;

    const cudaStream_t stream = stream_of(launch);
    clear_words<<<1, 1024, 0, stream>>>(zeroed.data, static_cast<int>(zeroed.size));
    check_launch();
    const auto counting = static_cast<unsigned>(
        std::min<Index>(ceil_div(plan.n, 4 * count_digits_threads), 2 * multiprocessors()));
    const std::size_t counters = (memory.first + DigitPlan::max_digits) * sizeof(Key);
    launch_dependent(count_digits, counting, count_digits_threads, counters, stream, args.in.data,
                     reinterpret_cast<std::uintptr_t>(args.in.data) % 16 == 0, plan, state);
    const std::size_t bytes = SweepBlock::shared_bytes(plan.max_padded());
    allow_shared(sweep_digit, bytes);
    const auto sweeping = std::min(plan.tiling.tiles, static_cast<Key>(multiprocessors()));
    for (int pass = 0; pass < plan.passes; ++pass)
      launch_dependent(sweep_digit, sweeping, SweepTile::threads, bytes, stream, plan, state, buffers, pass);
  }
};

}  // namespace tallcache::gpu::counting_sort
