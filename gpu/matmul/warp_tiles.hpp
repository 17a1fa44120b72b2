// Warp tiles: a warp computes 64 x 64 elements of C, and loads its factors to registers one step ahead.
#pragma once

#include "gpu/matmul/block_launch.hpp"

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

  template <class Device, class Args>
  static void call(Device& device, const Args& args, const Params& params) {
    TileOrder order = tiles_of<Tiles>(args.c.rows, args.c.cols, static_cast<BlockOrder>(params["order"]));
    order.group = static_cast<int>(std::min<Index>(params["group"], order.down));
    multiply_whole_tiles<Tiles>(device, args, order);
  }
};

}  // namespace tallcache::gpu::matmul
