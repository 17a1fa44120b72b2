// The product of doubles on the tensor cores of compute capability 8.0 and later.
#pragma once

#include "gpu/kernel_limits.hpp"
#include "gpu/matmul/block_launch.hpp"
#include "gpu/matmul/mma_product.cuh"

namespace tallcache::gpu::matmul {

struct warp_mma : OnGpu {
  static constexpr std::string_view idea =
      "tensor cores: a warp multiplies 32 x 64 elements by mma.sync, tiles copied asynchronously and "
      "swizzled so that 16-byte loads meet no bank twice, the last wave or few tiles split along k, blocks "
      "as the recursion halves C; applies tiling, coarsening, coalescing";
  static constexpr std::string_view source =
      "M7: A cache-oblivious matrix multiplication algorithm, on the GPU; Osama et al. 2023; CUTLASS";
  using operations = OperationList<Matmul<double>>;
  static constexpr ParamSpec params[] = {
      {.name = "order",
       .default_value = static_cast<Index>(BlockOrder::recursive),
       .what = "of the blocks: 0 by rows, 1 in groups of 16 rows, 2 recursive, 3 recursive and mirrored",
       .min = 0,
       .choices = block_orders}};

  static std::size_t scratch(Matmul<double>, const Shape& shape, const Params&) {
    std::size_t bytes = 0;
    with_tiles(shape, [&]<class Tiles>(Tiles, const StreamPlan& plan) {
      bytes = scratch_bytes({plan.slots() * Tiles::rows * Tiles::cols * sizeof(double)});
    });
    return bytes;
  }

  static void call(const Launch& launch, const Matmul<double>::Args<>& args, const Params& params) {
    const Shape shape = Matmul<double>::shape_of(args);
    with_tiles(shape, [&]<class Tiles>(Tiles, const StreamPlan& plan) {
      auto scratch = args.scratch;
      const auto parts = parts_of<Tiles, double>(scratch, plan);
      multiply_in_blocks<Tiles>(launch, args.c, args.a, args.b,
                                tiles_of<Tiles>(shape, static_cast<BlockOrder>(params["order"])), plan, parts,
                                rows_are_chunks(args.a) && rows_are_chunks(args.b));
    });
  }

 private:
  using Large = MmaShape<128, 128, 32, 64, 5>;
  using Small = MmaShape<64, 64, 32, 32, 4, 2>;

  /// Calls use(tiles, plan) with the tiles that suit `shape`: the largest that occupy the multiprocessors.
  template <class Use>
  static void with_tiles(const Shape& shape, const Use& use) {
    const Index processors = multiprocessors();
    const auto plan = [&]<class Tiles>(Tiles tiles) {
      const Index number = tiles_of<Tiles>(shape, BlockOrder::recursive).tiles();
      const Index steps = ceil_div<Index>(shape["k"], Tiles::depth);
      constexpr Index sum_of_parts = 16;  // in the time of as many steps
      if ((processors - number % processors) * steps < sum_of_parts * processors)
        use(tiles, StreamPlan::of_whole_tiles(number, steps));
      else
        use(tiles, StreamPlan::of_remainder(number, steps, processors));
    };
    if (tiles_of<Large>(shape, BlockOrder::recursive).tiles() * Index{8} >= processors * 7)
      plan(Large{});
    else
      plan(Small{});
  }
};

}  // namespace tallcache::gpu::matmul
