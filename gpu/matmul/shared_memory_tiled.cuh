// The product of tiles that a block copies to shared memory and uses `tile` times.
#pragma once

#include "gpu/matmul/grid_tiled.cuh"
#include "gpu/matmul/shared_tiles.cuh"

namespace tallcache::gpu::matmul {

struct shared_memory_tiled : OnGpu {
  static constexpr std::string_view idea =
      "a block copies square tiles of A and B to shared memory and uses each element tile times; applies "
      "tiling";
  static constexpr std::string_view source = "M15: matrix_mul_ker; H1: Tiled Matrix Multiplication Kernel";
  using operations = OperationList<Matmul<float>, Matmul<double>, Matmul<std::int32_t>>;
  static constexpr ParamSpec params[] = {
      {.name = "tile", .fallback = 32, .what = "rows and columns of a tile", .choices = square_tiles}};

  template <class Args>
  static void call(const Launch& launch, const Args& args, const Params& params) {
    using T = typename decltype(args.c)::value_type;
    if (params["tile"] == 16)
      multiply_tiles<16, 1>(launch, args.c, args.a, StraightTile<T, 16>{args.b});
    else
      multiply_tiles<32, 1>(launch, args.c, args.a, StraightTile<T, 32>{args.b});
  }
};

}  // namespace tallcache::gpu::matmul
