// The sort of pairs for the whole device: as few stable passes as possible, by wide digits, and only one
// where the buckets that it makes can be sorted in a block's shared memory.
#pragma once

#include "gpu/counting_sort/bucket_in_shared.cuh"
#include "gpu/peers/cub_radix_sort.cuh"

namespace tallcache::gpu::counting_sort {

struct wide_digits : OnGpu {
  static constexpr std::string_view idea =
      "stable pairs in one pass into evenly wide buckets, each sorted in a block's shared memory; where the "
      "keys are too many or too uneven for that, in passes by digits of up to 10 bits, of which those that "
      "would change nothing are left out; 2^30 pairs and more are left to cub_radix_sort; applies "
      "privatisation, coalescing, tiling";
  static constexpr std::string_view source =
      "Stehle and Jacobsen 2017, SIGMOD (buckets sorted on chip); Adinets and Merrill 2022, arXiv:2206.01784 "
      "(onesweep)";
  using operations = OperationList<CountingSort<true>>;

  static std::size_t scratch(CountingSort<true> op, const Shape& shape, const Params& params) {
    const Index n = shape["n"], range = shape["range"];
    if (n >= most) return peers::cub_radix_sort::scratch(op, shape, params);
    if (n == 0 || range == 0 || is_one_bucket(n, range)) return 0;
    const Memory memory(DigitPlan(n, range, blocks()));
    return scratch_bytes({memory.zeroed * sizeof(Key), memory.tiles * sizeof(Key), memory.tiles * sizeof(Key),
                          checked_product(n, sizeof(Key), "keys"),
                          checked_product(n, sizeof(Key), "payload")});
  }

  static void call(const Launch& launch, const CountingSort<true>::Args<>& args, const Params& params) {
    const Index n = args.in.size;
    if (n == 0) return;
    if (n >= most) return peers::cub_radix_sort::call(launch, args, params);
    if (args.range == 0) return copy(launch, args);
    if (is_one_bucket(n, args.range)) return sort_one_bucket(launch, args);
    sort(launch, args);
  }

 private:
  using Args = CountingSort<true>::Args<>;
  static constexpr Index most = Index{1} << 30;  ///< a tile's counts have 30 bits

  static bool is_one_bucket(Index n, Index range) {
    return n <= SharedBucket::most && range >> SharedBucket::most_residue_bits == 0;
  }

  /// Elements of scratch.
  struct Memory {
    Index groups, zeroed, tiles;
    explicit Memory(const DigitPlan& plan)
        : groups(plan.tiles.groups() * DigitCounts::row),
          zeroed((plan.passes + 1) * groups + 1 + 2 * DigitPlan::most_passes),
          tiles(plan.tiles.number * DigitCounts::row) {}
  };

  /// Two on each multiprocessor.
  static int blocks() {
    int device = 0, multiprocessors = 0;
    TALLCACHE_CUDA(cudaGetDevice(&device));
    TALLCACHE_CUDA(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    return 2 * multiprocessors;
  }

  static void copy(const Launch& launch, const Args& args) {
    copy_elements(launch, args.out, args.in);
    copy_elements(launch, args.payload_out, args.payload_in);
  }

  static Pairs pairs_in(const Args& args) {
    return {const_cast<Key*>(args.in.data), const_cast<Key*>(args.payload_in.data)};
  }
  static Pairs pairs_out(const Args& args) { return {args.out.data, args.payload_out.data}; }

  static void sort_shared(const Launch& launch, const DigitPlan& plan, const PairState& state,
                          const Pairs& from, const Pairs& to, int buckets, int residue_bits) {
    TALLCACHE_CUDA(cudaFuncSetAttribute(sort_buckets, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        static_cast<int>(BucketBlock::shared_bytes)));
    sort_buckets<<<buckets, BucketBlock::threads, BucketBlock::shared_bytes, stream_of(launch)>>>(
        plan, state, from, to, residue_bits);
    check_launch();
  }

  static void sort_one_bucket(const Launch& launch, const Args& args) {
    sort_shared(launch, DigitPlan(args.in.size, args.range, 1), PairState{}, pairs_in(args), pairs_out(args),
                1, std::bit_width(args.range));
  }

  static void sort(const Launch& launch, const Args& args) {
    const DigitPlan plan(args.in.size, args.range, blocks());
    const Memory memory(plan);
    auto scratch = args.scratch;
    const auto zeroed = scratch.vector<Key>(memory.zeroed);
    PairState state{};
    state.pass = {scratch.vector<Key>(memory.tiles).data, zeroed.data};
    state.buckets = {scratch.vector<Key>(memory.tiles).data, zeroed.data + plan.passes * memory.groups};
    state.has_even_buckets = zeroed.data + (plan.passes + 1) * memory.groups;
    state.is_needed = state.has_even_buckets + 1;
    state.tickets = state.is_needed + DigitPlan::most_passes;
    const Pairs spare{scratch.vector<Key>(plan.n).data, scratch.vector<Key>(plan.n).data};

    set_zero(launch, zeroed);
    // The last pass ends in the output. Buckets stay where the first pass has put them, or move there.
    Pairs from = pairs_in(args), first{};
    for (int pass = 0; pass < plan.passes; ++pass) {
      const Pairs to = (plan.passes - pass) % 2 ? pairs_out(args) : spare;
      run_pass(launch, plan, state, from, to, pass);
      if (pass == 0) first = to;
      from = to;
    }
    if (plan.has_buckets)
      sort_shared(launch, plan, state, first, pairs_out(args), plan.buckets.number,
                  plan.buckets.residue_bits());
  }

  static void run_pass(const Launch& launch, const DigitPlan& plan, const PairState& state, const Pairs& from,
                       const Pairs& to, int pass) {
    const cudaStream_t stream = stream_of(launch);
    const bool is_aligned = reinterpret_cast<std::uintptr_t>(from.keys) % 16 == 0;
    const unsigned counting = std::min(plan.tiles.number, 3 * plan.tiles.blocks / 2);
    count_tiles<<<counting, count_tiles_threads, 0, stream>>>(from.keys, is_aligned, plan, state, pass);
    check_launch();
    const dim3 placing(plan.tiles.groups(), pass == 0 && plan.has_buckets ? 2 : 1);
    place_tiles<<<placing, PlaceBlock::threads, 0, stream>>>(plan, state, pass);
    check_launch();
    const std::size_t bytes = SweepBlock::shared_bytes(plan);
    TALLCACHE_CUDA(cudaFuncSetAttribute(sweep_tiles, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        static_cast<int>(bytes)));
    sweep_tiles<<<plan.tiles.blocks, SweepTile::threads, bytes, stream>>>(plan, state, from, to, pass);
    check_launch();
  }
};

}  // namespace tallcache::gpu::counting_sort
