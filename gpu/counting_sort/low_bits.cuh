// The counting sort of keys for the whole device, on a work list: buckets by the high bits, of which only the
// low bits are moved, counters of a few bits, and as many blocks as a large segment needs.
#pragma once

#include "gpu/counting_sort/segment_spread.cuh"
#include "gpu/counting_sort/segment_values.cuh"
#include "gpu/kernel_limits.hpp"
#include "gpu/peers/cub_radix_sort.hpp"

namespace tallcache::gpu::counting_sort {

/// Counters of 16 bits, and the strips of warps that write.
inline constexpr std::size_t values_bytes = most_values * 2 + work_threads / 32 * strip_keys * sizeof(Key);
inline constexpr std::size_t leaf_bytes = LeafBlock::shared_bytes(FewDigits(32));

/// A leaf, whose keys lie in `moved` behind the first level, and in `out` behind the second.
inline __device__ void sort_leaf(const Leaf& leaf, const Key* moved, Key* out, Key* memory,
                                 const WorkPlan& plan) {
  if (leaf.begin == leaf.end) return;
  const int bits = plan.digit[leaf.level].shift + 32 - __clz(leaf.first_digit ^ leaf.last_digit);
  const LeafBlock block{{memory, memory + LeafBlock::most, leaf.end - leaf.begin}};
  block.sort((leaf.level ? out : moved) + leaf.begin, leaf.end - leaf.begin, out + leaf.begin,
             FewDigits(bits));
}

/// The counts of the low bits of large segments, a piece a block, and then buckets that need wider counters.
/// Blocks take tickets, as some parts take longer.
template <class LowBits>
__global__ void __launch_bounds__(work_threads)
    count_values(const LowBits* in, Key* out, const __grid_constant__ WorkPlan plan,
                 const __grid_constant__ WorkList list) {
  extern __shared__ __align__(16) Key memory[];
  __shared__ Key warp_sums[64];
  wait_for_last_kernel();
  let_next_kernel_start();
  const Key pieces = list.pieces(plan, 1), parts = pieces + list.numbers->wide;
  if (parts == 0) return;
  for (Key taken; (taken = take_ticket(&list.numbers->taken)) < parts;)
    if (taken < pieces)
      count_piece<false>(in, memory, warp_sums, taken, plan, list);
    else
      sort_wide_bucket(in, out, reinterpret_cast<std::uintptr_t>(out) % 16 == 0, memory, warp_sums,
                       list.wide[taken - pieces], plan, list);
}

/// What is left of keys that are spread. Blocks take tickets, as some parts take longer: first the pieces of
/// the last level, which are counted, then leaves. Then warps write parts of the same pieces.
static __global__ void __launch_bounds__(LeafBlock::threads, 1)
    sort_leaves(const Key* moved, Key* out, const __grid_constant__ WorkPlan plan,
                const __grid_constant__ WorkList list) {
  extern __shared__ __align__(16) Key memory[];
  __shared__ Key sum;
  wait_for_last_kernel();
  let_next_kernel_start();
  const int level = plan.levels - 1;
  const Key pieces = list.pieces(plan, level), parts = pieces + list.numbers->leaves;
  for (Key taken; (taken = take_ticket(&list.numbers->taken)) < parts;)
    if (taken < pieces)
      count_piece<true>(level > 1 ? out : moved, memory, &sum, taken, plan, list);
    else
      sort_leaf(list.leaf[taken - pieces], moved, out, memory, plan);
  if (pieces == 0) return;
  wait_for_places(plan, list);
  write_pieces(plan, list, memory, out);
}

struct low_bits : OnSharedMemory<std::max(PartitionBlock::shared_bytes(Split::max_buckets), values_bytes)> {
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
      return {n, range, Split(n, range), multiprocessors()};
    return {n, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(range))), multiprocessors()};
  }

  /// Of keys or their low bits: also of those of a tile for which there is no room.
  static std::size_t moved_bytes(const WorkPlan& plan) {
    if (plan.levels == 1) return 0;
    const Index keys = plan.room ? Index{plan.guess.number} * plan.room + PartitionBlock::max_keys : plan.n;
    return checked_product(keys, plan.even && plan.digit[0].shift <= Split::short_bits ? 2 : 4, "low bits");
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
    const auto count = [&](auto kernel, const Key* in, Key number) {
      // Not more blocks than keep their counters at the same time. Each adds `number` counts to the others'.
      const double balanced = std::sqrt(static_cast<double>(plan.n) * number) / 8;
      const Index keys = std::max<Index>(8 * work_threads, static_cast<Index>(balanced));
      launch_with(kernel, std::min<Index>(ceil_div(plan.n, keys), (number >> 14 > 1 ? 1 : 2) * blocks),
                  work_threads, (number + 1) * sizeof(Key), launch, in, plan, list);
    };
    const auto spread = [&](auto kernel, auto in, auto out, const WorkPlan::Digit& digit, bool is_guess) {
      launch_with(kernel, std::min<Index>(blocks, ceil_div(plan.n, plan.piece[0])), work_threads,
                  PartitionBlock::shared_bytes(digit.number), launch, in, out, plan, list, digit, is_guess);
    };
    if (plan.room) spread(spread_segments<Element, 0>, args.in.data, moved, plan.guess, true);
    count(count_segments<0>, args.in.data, plan.digit[0].number);
    if (plan.levels > 1) spread(spread_segments<Element, 0>, args.in.data, moved, plan.digit[0], false);
    if constexpr (sizeof(Element) == 4)  // only keys that stay whole are spread twice
      if (plan.levels > 2) {
        count(count_segments<1>, moved, plan.digit[1].number);
        spread(spread_segments<Element, 1>, moved, args.out.data, plan.digit[1], false);
      }
    if (plan.even) {
      sort_light(launch, args, plan, list, moved);
      launch_with(count_values<Element>, blocks, work_threads, values_bytes, launch, moved, args.out.data,
                  plan, list);
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
    const Index values = plan.last().number;
    const auto run = [&](auto kernel, int bits, Index parts = 1) {
      const Index words = std::max<Index>(values * bits / 32, 1);
      const std::size_t bytes = (words + threads / 32 * strip_keys) * sizeof(Key);
      allow_dynamic_shared(reinterpret_cast<const void*>(kernel), bytes);
      // Not early: blocks would come where one ends first, so neighbouring buckets, often alike, together.
      kernel<<<grid_of((parts == 2 ? Index{plan.guess.number} : plan.buckets()) * parts), threads, bytes,
               stream_of(launch)>>>(moved, args.out.data,
                                    reinterpret_cast<std::uintptr_t>(args.out.data) % 16 == 0, plan, list);
      check_launch();
    };
    if constexpr (sizeof(Element) == 4) {  // of so many values that only counters of 4 bits fit
      if (plan.guess_is_wider()) run(sort_light_buckets<Element, threads, 4, 0, 2>, 4, 2);
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
