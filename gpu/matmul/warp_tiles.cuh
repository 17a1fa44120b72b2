// Warp tiles: a warp computes 64 x 64 elements of C, and loads its factors to registers one step ahead.
#pragma once

#include "gpu/matmul/block_launch.cuh"

namespace tallcache::gpu::matmul {

struct warp_tiles : OnGpu {
  using Tiles = BlockShape<128, 256, 16, 64, 64, 3, 1>;

  static constexpr std::string_view idea =
      "blocks of 128 x 256 elements, warps of 64 x 64, 16 x 8 a thread, whose factors of the next step are "
      "in registers; blocks as the recursion halves C; applies tiling, coarsening, coalescing";
  static constexpr std::string_view source =
      "M7: A cache-oblivious matrix multiplication algorithm, on the GPU; CUTLASS";
  using operations = OperationList<Matmul<float>>;
  static constexpr ParamSpec params[] = {
      {.name = "order",
       .default_value = static_cast<Index>(BlockOrder::recursive),
       .what = "of the blocks: 0 by rows, 1 in groups of rows, 2 recursive, 3 recursive and mirrored",
       .min = 0,
       .choices = block_orders},
      {.name = "group", .default_value = 16, .what = "rows of blocks in a group of order 1"}};

  static void call(const Launch& launch, const Matmul<float>::Args<>& args, const Params& params) {
    TileOrder order =
        tiles_of<Tiles>(Matmul<float>::shape_of(args), static_cast<BlockOrder>(params["order"]));
    order.group = static_cast<int>(std::min<Index>(params["group"], order.down));
    const Index steps = ceil_div<Index>(args.a.cols, Tiles::depth);
    multiply_in_blocks<Tiles, float>(launch, args, order, StreamPlan::of_whole_tiles(order.tiles(), steps),
                                     nullptr);
  }
};

}  // namespace tallcache::gpu::matmul
