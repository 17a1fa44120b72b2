// The product in square tiles of C, one thread block for each. Every operand is read from global memory.
#pragma once

#include "gpu/matmul/thread_per_element.hpp"

namespace tallcache::gpu::matmul {

inline constexpr Index square_tiles[] = {16, 32};

struct grid_tiled : OnGpu {
  static constexpr std::string_view idea =
      "a block a square tile of C, no shared memory: 2 operations for 8 bytes; applies occupancy, coalescing";
  static constexpr std::string_view source = "H1: Review: GPU version with Tiling";
  using operations = OperationList<Matmul<float>, Matmul<double>, Matmul<std::int32_t>>;
  static constexpr ParamSpec params[] = {{.name = "tile",
                                          .default_value = 32,
                                          .what = "threads of a block in each direction",
                                          .choices = square_tiles}};

  template <class Device, class Args>
  static void call(Device& device, const Args& args, const Params& params) {
    const auto tile = static_cast<unsigned>(params["tile"]);
    multiply_elements(device, args.c, args.a, RowMajor{args.b}, tile, tile);
  }
};

}  // namespace tallcache::gpu::matmul
