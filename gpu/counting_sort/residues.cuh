// The bucketed counting sort of keys for the whole device: buckets by the high bits, of which only the
// residues are moved, counters of a few bits, and as many blocks as a heavy bucket needs.
#pragma once

#include "gpu/counting_sort/work_list.cuh"
#include "gpu/kernel_limits.hpp"
#include "gpu/peers/cub_radix_sort.hpp"

namespace tallcache::gpu::counting_sort {

inline constexpr Index max_counter_bytes = heavy_values * 2;
inline constexpr std::size_t heavy_shared_bytes =
    max_counter_bytes + heavy_threads / 32 * strip_keys * sizeof(Key);

struct residues
    : OnSharedMemory<std::max(ResidueTiles::shared_bytes(Split::max_buckets), heavy_shared_bytes)> {
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
    if (SegmentSort::suits(n, range)) return SegmentSort::scratch(n, range);
    if (!is_own(n, range)) return peers::cub_radix_sort::scratch(op, shape, params);
    const SplitPlan plan(n, range);
    return scratch_bytes({moved_bytes(plan, n), state_bytes(plan.last, n),
                          plan.of_moved ? state_bytes(*plan.of_moved, n) : 0});
  }

  static void call(const Launch& launch, const CountingSort<false>::Args<>& args, const Params& params) {
    const Index n = args.in.size;
    if (n == 0) return;
    if (FewKeys::suits(n)) return FewKeys::sort(launch, args);
    if (SegmentSort::suits(n, args.range)) return SegmentSort::sort(launch, args);
    if (!is_own(n, args.range)) return peers::cub_radix_sort::call(launch, args, params);
    const SplitPlan plan(n, args.range);
    auto scratch = args.scratch;
    void* const moved = scratch.vector<std::byte>(static_cast<Index>(moved_bytes(plan, n))).data;
    Key* const holds = plan.of_moved ? sort(launch, args, *plan.of_moved, scratch, moved, nullptr) : nullptr;
    sort(launch, args, plan.last, scratch, moved, holds);
  }

 private:
  static bool is_own(Index n, Index range) {
    return FewKeys::suits(n) || SegmentSort::suits(n, range) || Split::suits(n, range);
  }

  static constexpr Index light_counter_bytes = 32768;  ///< with which three blocks share a multiprocessor

  static int write_blocks() { return 4 * multiprocessors(); }

  static Index zeroed_words(const Split& split, Index n) { return split.number + split.max_heavy(n) + 4; }

  static std::size_t state_bytes(const Split& split, Index n) {
    const Index heavy = split.max_heavy(n);
    return scratch_bytes(
        {zeroed_words(split, n) * sizeof(Key), (split.number + 1) * sizeof(Key), split.number * sizeof(Key),
         split.number * sizeof(Key), split.number * split.parts() * sizeof(Key), (heavy + 1) * sizeof(Key),
         (heavy + 1) * sizeof(Key), (heavy + 1) * sizeof(Key), (heavy << split.shift) * sizeof(Key)});
  }

  /// Of the residues: also of those of a tile for which there is no room.
  static std::size_t moved_bytes(const SplitPlan& plan, Index n) {
    const auto bytes = [n](const Split& split) -> std::size_t {
      if (split.shift == 0) return 0;
      const Index keys = split.room ? split.rooms() + ResidueTiles::max_keys : n;
      return checked_product(keys, split.has_short_residues() ? 2 : 4, "residues");
    };
    return std::max(bytes(plan.last), plan.of_moved ? bytes(*plan.of_moved) : 0);
  }

  template <class Kernel>
  static void allow_shared(Kernel* kernel, std::size_t bytes) {
    allow_dynamic_shared(reinterpret_cast<const void*>(kernel), bytes);
  }

  /// Bits of a counter that the keys of most values do not overflow, if they are spread evenly, as far as a
  /// bucket's counters fit into a block's shared memory. Counters of few values are short anyway.
  static int counter_bits(Index n, Index range, const Split& split) {
    const Index keys_per_value = n / (range + 1), values = split.values() / split.parts();
    int bits = keys_per_value < 4 && values > 4096 ? 4
               : keys_per_value < 128              ? 8
               : keys_per_value < 32768            ? 16
                                                   : 32;
    while (bits > 4 && values * bits / 8 > max_counter_bytes) bits /= 2;
    return bits;
  }

  /// Takes the state's memory from `scratch`; `zeroed` is the part that counts, which the caller clears.
  static SplitState state_in(Scratch<>& scratch, const Split& split, Index n, VectorView<Key>& zeroed) {
    const Index heavy = split.max_heavy(n);
    zeroed = scratch.vector<Key>(zeroed_words(split, n));
    SplitState state{};
    state.count = zeroed.data;
    state.pieces_done = state.count + split.number;
    state.blocks_done = state.pieces_done + heavy;
    state.parts_taken = state.blocks_done + 1;
    state.wides = state.parts_taken + 1;
    state.holds = state.wides + 1;
    state.first = scratch.vector<Key>(split.number + 1).data;
    state.start = scratch.vector<Key>(split.number).data;
    state.next = scratch.vector<Key>(split.number).data;
    state.wide = scratch.vector<Key>(split.number * split.parts()).data;
    state.heavy = scratch.vector<Key>(heavy + 1).data;
    state.piece = scratch.vector<Key>(heavy + 1).data;
    state.segment = scratch.vector<Key>(heavy + 1).data;
    state.heavy_count = scratch.vector<Key>(heavy << split.shift).data;
    state.shift = split.shift;
    state.number = static_cast<int>(split.number);
    state.max_heavy = static_cast<int>(heavy);
    state.heavy_limit = split.heavy;
    state.even_limit = split.even;
    state.room = split.room;
    state.use = split.use;
    state.piece_keys =
        static_cast<Key>(std::clamp<Index>(ceil_div(n, 2 * multiprocessors()), Split::always_light,
                                           std::max<Index>(1 << 17, 2 * split.values())));
    // Some for each warp of write_heavy_buckets(): each reads its values one batch after the other.
    state.segment_items = static_cast<Key>(std::clamp<Index>(2 * n / (write_blocks() * write_threads / 32),
                                                             Split::min_segment, Split::max_segment));
    return state;
  }

  /// `holds`: the word that says whether the keys are moved ones, where an earlier sort has it. Returns it.
  static Key* sort(const Launch& launch, const CountingSort<false>::Args<>& args, const Split& split,
                   Scratch<>& scratch, void* moved, Key* holds) {
    VectorView<Key> zeroed;
    SplitState state = state_in(scratch, split, args.in.size, zeroed);
    if (holds) state.holds = holds;
    clear_words<<<1, split_threads, 0, stream_of(launch)>>>(zeroed.data, static_cast<int>(zeroed.size));
    check_launch();
    if (split.has_short_residues())
      sort(launch, args, split, state, static_cast<std::uint16_t*>(moved));
    else
      sort(launch, args, split, state, static_cast<Key*>(moved));
    return state.holds;
  }

  template <class Residue>
  static void sort(const Launch& launch, const CountingSort<false>::Args<>& args, const Split& split,
                   const SplitState& state, Residue* moved) {
    const Index n = args.in.size;
    const cudaStream_t stream = stream_of(launch);
    const bool in_aligned = is_aligned(args.in.data), out_aligned = is_aligned(args.out.data);
    const std::size_t counters = split.number * sizeof(Key);
    if (split.room) {
      launch_dependent(guess_buckets, 1, split_threads, counters, stream, args.in.data, n, state);
      move(args.in, true, moved, split, state, stream);
    }
    const auto blocks =
        static_cast<unsigned>(std::min<Index>(ceil_div(n, 4 * split_threads), 2 * multiprocessors()));
    launch_dependent(count_buckets, blocks, split_threads, counters, stream, args.in.data, n, in_aligned,
                     state);
    if (split.shift == 0)
      return launch_dependent(write_buckets_of_one, write_blocks(), write_threads, 0, stream, args.out.data,
                              n, out_aligned, state);
    if (split.use != SplitUse::moved) move(args.in, false, moved, split, state, stream);
    sort_light<Residue>(counter_bits(n, args.range, split), moved, args, out_aligned, split, state, stream);
    // Also for few keys, where no bucket is heavy: counters may have been too narrow.
    sort_heavy<Residue>(moved, args, out_aligned, state, stream);
  }

  template <class Residue>
  static void sort_light(int counter_bits, const Residue* moved, const CountingSort<false>::Args<>& args,
                         bool out_aligned, const Split& split, const SplitState& state, cudaStream_t stream) {
    if constexpr (sizeof(Residue) == 2) {
      if (counter_bits == 8) return sort_light<Residue, 8>(moved, args, out_aligned, split, state, stream);
      if (counter_bits == 16) return sort_light<Residue, 16>(moved, args, out_aligned, split, state, stream);
      if (counter_bits == 32) return sort_light<Residue, 32>(moved, args, out_aligned, split, state, stream);
    }
    sort_light<Residue, 4>(moved, args, out_aligned, split, state, stream);
  }

  template <class Residue>
  static void sort_heavy(const Residue* moved, const CountingSort<false>::Args<>& args, bool out_aligned,
                         const SplitState& state, cudaStream_t stream) {
    allow_shared(count_heavy_buckets<Residue>, heavy_shared_bytes);
    launch_dependent(count_heavy_buckets<Residue>, multiprocessors(), heavy_threads, heavy_shared_bytes,
                     stream, moved, args.out.data, out_aligned, state);
    if (args.in.size <= Split::always_light) return;  // no bucket is heavy
    launch_dependent(write_heavy_buckets, write_blocks(), write_threads, 0, stream, args.out.data,
                     out_aligned, state);
  }

  static bool is_aligned(const Key* keys) { return reinterpret_cast<std::uintptr_t>(keys) % 16 == 0; }

  static void move(VectorView<const Key> in, bool is_guess, void* moved, const Split& split,
                   const SplitState& state, cudaStream_t stream) {
    const ResidueTiles tiles(in.size, multiprocessors());
    const std::size_t bytes = ResidueTiles::shared_bytes(split.number);
    allow_shared(partition, bytes);
    launch_dependent(partition, tiles.blocks, ResidueTiles::threads, bytes, stream, in.data, in.size,
                     is_aligned(in.data), is_guess, moved, tiles, state);
  }

  /// Residues of 32 bits are so many that their counters have 4 bits.
  template <class Residue, int width>
  static void sort_light(const Residue* moved, const CountingSort<false>::Args<>& args, bool aligned,
                         const Split& split, const SplitState& state, cudaStream_t stream) {
    constexpr int threads = sizeof(Residue) == 2 ? 512 : 1024, wider = std::max(width, 16);
    const Index values = split.values() / split.parts();
    const auto run = [&](auto kernel, int bits) {
      const Index words = std::max<Index>(values * bits / 32, 1);
      const std::size_t bytes = (words + threads / 32 * strip_keys) * sizeof(Key);
      allow_shared(kernel, bytes);
      // Not early: blocks would come where one ends first, so neighbouring buckets, often alike, together.
      kernel<<<grid_of(split.number * split.parts()), threads, bytes, stream>>>(moved, args.out.data, aligned,
                                                                                state);
      check_launch();
    };
    if constexpr (sizeof(Residue) == 4) {
      if (split.parts() == 2) return run(sort_light_buckets<Residue, threads, width, 0, 2>, width);
      run(sort_light_buckets<Residue, threads, width, 0, 1>, width);
    } else {
      if (width >= 16 || values * wider / 8 <= light_counter_bytes)
        return run(sort_light_buckets<Residue, threads, width, wider, 1>, wider);
      if constexpr (width < 16) run(sort_light_buckets<Residue, threads, width, 0, 1>, width);
    }
  }
};

}  // namespace tallcache::gpu::counting_sort
