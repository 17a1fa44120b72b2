// Tiles that arrive in shared memory beside the arithmetic, with no registers on their way.
#pragma once

#include "gpu/matmul/block_launch.cuh"

namespace tallcache::gpu::matmul {

struct asynchronous_copies : OnGpu {
  static constexpr std::string_view idea =
      "8 x 8 elements a thread, three stages of tiles copied asynchronously, A transposed by copies of 4 "
      "bytes; applies tiling, coarsening, coalescing";
  static constexpr std::string_view source = "Volkov, Demmel 2008; CUTLASS";
  using operations = OperationList<Matmul<float>>;

  static void call(const Launch& launch, const Matmul<float>::Args<>& args, const Params&) {
    using Tiles = BlockShape<128, 128, 16, 32, 64, 3, 1>;
    const TileOrder order = tiles_of<Tiles>(Matmul<float>::shape_of(args), BlockOrder::rows);
    multiply_in_blocks<Tiles, float>(
        launch, args, order, StreamPlan::of_whole_tiles(order.tiles(), ceil_div<Index>(args.a.cols, 16)),
        nullptr);
  }
};

}  // namespace tallcache::gpu::matmul
