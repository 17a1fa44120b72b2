// Tiles that arrive in shared memory beside the arithmetic, with no registers on their way.
#pragma once

#include "gpu/matmul/block_launch.hpp"

namespace tallcache::gpu::matmul {

struct asynchronous_copies : OnGpu {
  static constexpr std::string_view idea =
      "8 x 8 elements a thread, three stages of tiles copied asynchronously, A transposed by copies of 4 "
      "bytes; applies tiling, coarsening, coalescing";
  static constexpr std::string_view source = "Volkov, Demmel 2008; CUTLASS";
  using operations = OperationList<Matmul<float>>;

  template <class Device, class Args>
  static void call(Device& device, const Args& args, const Params&) {
    using Tiles = BlockShape<128, 128, 16, 32, 64, 3, 1>;
    multiply_whole_tiles<Tiles>(device, args, tiles_of<Tiles>(args.c.rows, args.c.cols, BlockOrder::rows));
  }
};

}  // namespace tallcache::gpu::matmul
