// The counting sort of keys for the whole device, on a work list: buckets by the high bits, of which only the
// low bits are moved, counters of a few bits, and as many blocks as a large segment needs.
#pragma once

#include "gpu/counting_sort/segment_spread.cuh"
#include "gpu/counting_sort/segment_values.cuh"
#include "gpu/kernel_limits.hpp"
#include "gpu/peers/cub_radix_sort.hpp"

namespace tallcache::gpu::counting_sort {

inline constexpr Index max_counter_bytes = most_values * 2;
inline constexpr std::size_t values_shared_bytes =
    max_counter_bytes + work_threads / 32 * strip_keys * sizeof(Key);

/// The sorted keys: of leaves from `moved`, where the first level left them, or from `out`, and of segments
/// that are counted. Blocks take tickets, as some take longer.
static __global__ void __launch_bounds__(LeafBlock::threads, 1)
    sort_leaves(const Key* moved, Key* out, const __grid_constant__ WorkPlan plan,
                const __grid_constant__ WorkList list) {
  extern __shared__ __align__(16) Key memory[];
  wait_for_last_kernel();
  let_next_kernel_start();
  const Key counted = list.pieces(plan, plan.levels - 1), parts = counted + list.numbers->leaves;
  constexpr Key warps = LeafBlock::threads / 32;
  const Key warp = threadIdx.x / 32;
  for (;;) {
    const Key taken = take_ticket(&list.numbers->taken);
    if (taken >= parts) return;
    if (taken < counted) {
      write_piece(plan, list, taken, warp, warps, memory + warp * strip_keys, out);
      continue;
    }
    const Leaf leaf = list.leaf[taken - counted];
    if (leaf.begin == leaf.end) continue;
    const int bits = plan.digit[leaf.level].shift + 32 - __clz(leaf.first_digit ^ leaf.last_digit);
    const LeafBlock block{{memory, memory + LeafBlock::most, leaf.end - leaf.begin}};
    block.sort((leaf.level ? out : moved) + leaf.begin, leaf.end - leaf.begin, out + leaf.begin,
               FewDigits(bits));
  }
}

struct residues
    : OnSharedMemory<std::max(PartitionBlock::shared_bytes(Split::max_buckets), values_shared_bytes)> {
  static constexpr std::string_view idea =
      "buckets of neighbouring values, of whose keys only the low bits are moved, counted in a few bits "
      "each, heavy buckets by many blocks; many even keys are moved before they are counted, few keys stay "
      "in one block; applies privatisation, coalescing, tiling";
  static constexpr std::string_view source = "M8: Counting sort: a cache-friendly algorithm, on the GPU";
  static constexpr std::string_view uses =
      "CUB: all of the sort for more than 8388608 keys of ranges beyond 8 n or 1.3e9 "
      "(cub_radix_sort)";
  using operations = OperationList<CountingSort<false>>;

  static std::string runs_as(const Shape& shape, int) {
    return is_own(shape["n"], shape["range"]) ? "" : "cub_radix_sort";
  }

  static std::size_t scratch(CountingSort<false> op, const Shape& shape, const Params& params) {
    const Index n = shape["n"], range = shape["range"];
    if (FewKeys::suits(n)) return 0;
    if (!is_own(n, range)) return peers::cub_radix_sort::scratch(op, shape, params);
    const WorkPlan plan = plan_of(n, range);
    std::size_t bytes = scratch_bytes({moved_bytes(plan)});
    WorkList(plan, [&](std::size_t part) -> void* { return bytes += scratch_bytes({part}), nullptr; });
    return bytes;
  }

  static void call(const Launch& launch, const CountingSort<false>::Args<>& args, const Params& params) {
    const Index n = args.in.size;
    if (n == 0) return;
    if (FewKeys::suits(n)) return FewKeys::sort(launch, args);
    if (!is_own(n, args.range)) return peers::cub_radix_sort::call(launch, args, params);
    const WorkPlan plan = plan_of(n, args.range);
    if (plan.even && plan.digit[0].shift <= Split::short_bits)
      sort<std::uint16_t>(launch, args, plan);
    else
      sort<Key>(launch, args, plan);
  }

 private:
  /// Not more keys of a large range than CUB's radix sort takes longer for.
  static bool is_own(Index n, Index range) {
    return FewKeys::suits(n) || Split::suits(n, range) || n <= Index{1} << 23;
  }

  static WorkPlan plan_of(Index n, Index range) {
    if (Split::suits(n, range) && range >> WorkPlan::max_alone)
      return {n, Split(n, range), multiprocessors()};
    return {n, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(range))), multiprocessors()};
  }

  /// Of keys or their low bits: also of those of a tile for which there is no room.
  static std::size_t moved_bytes(const WorkPlan& plan) {
    if (plan.levels == 1) return 0;
    const Index keys = plan.room ? plan.buckets() * plan.room + PartitionBlock::max_keys : plan.n;
    return checked_product(keys, plan.even && plan.digit[0].shift <= Split::short_bits ? 2 : 4, "residues");
  }

  template <class... Params, class... Args>
  static void launch_with(void (*kernel)(Params...), Index blocks, int threads, std::size_t bytes,
                          const Launch& launch, const Args&... args) {
    allow_dynamic_shared(reinterpret_cast<const void*>(kernel), bytes);
    launch_dependent(kernel, static_cast<unsigned>(blocks), threads, bytes, stream_of(launch), args...);
  }

  /// Element: of what is moved, a key or its low bits.
  template <class Element>
  static void sort(const Launch& launch, const CountingSort<false>::Args<>& args, const WorkPlan& plan) {
    auto scratch = args.scratch;
    const auto take = [&](std::size_t bytes) {
      return scratch.template vector<std::byte>(static_cast<Index>(bytes)).data;
    };
    auto* const moved = reinterpret_cast<Element*>(take(moved_bytes(plan)));
    const WorkList list(plan, take);
    const Index blocks = multiprocessors();
    const std::size_t counters = (plan.digit[0].number + 1) * sizeof(Key);
    list_all_keys<<<1, work_threads, plan.room ? counters : 0, stream_of(launch)>>>(args.in.data, plan, list);
    check_launch();
    const Key* in = args.in.data;
    Element* out = moved;
    // The last digit of low bits is counted by count_values().
    for (int level = 0; level < (plan.even ? 1 : plan.levels); ++level) {
      const Key number = plan.digit[level].number;
      const Index tiles = level ? blocks : std::min<Index>(blocks, ceil_div(plan.n, plan.piece[0]));
      const auto spread = [&](bool is_guess) {
        const auto run = [&](auto kernel) {
          launch_with(kernel, tiles, work_threads, PartitionBlock::shared_bytes(number), launch, in, out,
                      plan, list, is_guess);
        };
        if constexpr (sizeof(Element) == 4)
          if (level) return run(spread_segments<Element, 1>);
        run(spread_segments<Element, 0>);
      };
      if (level == 0 && plan.room) spread(true);
      // Not more blocks than keep their counters at the same time. Each adds `number` counts to the others'.
      const double balanced = std::sqrt(static_cast<double>(plan.n) * number) / 8;
      const Index keys = std::max<Index>(8 * work_threads, static_cast<Index>(balanced));
      launch_with(level == 0   ? count_segments<0>
                  : level == 1 ? count_segments<1>
                               : count_segments<2>,
                  std::min<Index>(ceil_div(plan.n, keys), (number >> 14 > 1 ? 1 : 2) * blocks), work_threads,
                  (number + 1) * sizeof(Key), launch, in, plan, list);
      if (level + 1 == plan.levels) break;
      spread(false);
      // Only keys that stay whole are spread twice.
      in = reinterpret_cast<const Key*>(out);
      out = reinterpret_cast<Element*>(args.out.data);
    }
    sort_spread(launch, args, plan, list, moved);
  }

  /// `moved`: the elements by the first digit.
  template <class Element>
  static void sort_spread(const Launch& launch, const CountingSort<false>::Args<>& args, const WorkPlan& plan,
                          const WorkList& list, const Element* moved) {
    const Index blocks = multiprocessors();
    constexpr std::size_t leaf_bytes = LeafBlock::shared_bytes(FewDigits(32));
    if (plan.even) {
      sort_light(launch, args, plan, list, moved);
      launch_with(count_values<Element>, blocks, work_threads, values_shared_bytes, launch, moved,
                  args.out.data, plan, list);
    }
    if (!plan.part)
      launch_with(write_values, write_blocks * blocks, write_threads, 0, launch, args.out.data, plan, list);
    else if constexpr (sizeof(Element) == 4)
      launch_with(sort_leaves, blocks, LeafBlock::threads, leaf_bytes, launch, moved, args.out.data, plan,
                  list);
  }

  static constexpr Index light_counter_bytes = 32768;  ///< with which three blocks share a multiprocessor

  template <class Element>
  static void sort_light(const Launch& launch, const CountingSort<false>::Args<>& args, const WorkPlan& plan,
                         const WorkList& list, const Element* moved) {
    constexpr int threads = sizeof(Element) == 2 ? 512 : 1024;
    const Index parts = plan.digit[0].shift > Split::long_bits ? 2 : 1, values = plan.last().number / parts;
    const auto run = [&](auto kernel, int bits) {
      const Index words = std::max<Index>(values * bits / 32, 1);
      const std::size_t bytes = (words + threads / 32 * strip_keys) * sizeof(Key);
      allow_dynamic_shared(reinterpret_cast<const void*>(kernel), bytes);
      // Not early: blocks would come where one ends first, so neighbouring buckets, often alike, together.
      kernel<<<grid_of(plan.buckets() * parts), threads, bytes, stream_of(launch)>>>(
          moved, args.out.data, reinterpret_cast<std::uintptr_t>(args.out.data) % 16 == 0, plan, list);
      check_launch();
    };
    if constexpr (sizeof(Element) == 4) {  // of so many values that only counters of 4 bits fit
      if (parts == 2) return run(sort_light_buckets<Element, threads, 4, 0, 2>, 4);
      run(sort_light_buckets<Element, threads, 4, 0, 1>, 4);
    } else {
      // Counters that the keys of most values do not overflow, if they are spread evenly.
      const Index keys_per_value = args.in.size / (Index{args.range} + 1);
      const bool may_widen = values * 2 <= light_counter_bytes;
      if (keys_per_value >= 128) return run(sort_light_buckets<Element, threads, 16, 16, 1>, 16);
      if (keys_per_value >= 4 || values <= 4096)
        return may_widen ? run(sort_light_buckets<Element, threads, 8, 16, 1>, 16)
                         : run(sort_light_buckets<Element, threads, 8, 0, 1>, 8);
      may_widen ? run(sort_light_buckets<Element, threads, 4, 16, 1>, 16)
                : run(sort_light_buckets<Element, threads, 4, 0, 1>, 4);
    }
  }
};

}  // namespace tallcache::gpu::counting_sort
