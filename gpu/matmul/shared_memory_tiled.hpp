// The product by tiles: a block copies them to shared memory and uses each element `tile` times.
#pragma once

#include "gpu/matmul/grid_tiled.hpp"
#include "gpu/matmul/shared_tiles.hpp"

namespace tallcache::gpu::matmul {

struct shared_memory_tiled : OnGpu {
  static constexpr std::string_view idea =
      "a block copies square tiles of A and B to shared memory and uses each element tile times; applies "
      "tiling";
  static constexpr std::string_view source = "M15: matrix_mul_ker; H1: Tiled Matrix Multiplication Kernel";
  using operations = OperationList<Matmul<float>, Matmul<double>, Matmul<std::int32_t>>;
  static constexpr ParamSpec params[] = {
      {.name = "tile", .default_value = 32, .what = "rows and columns of a tile", .choices = square_tiles}};

  template <class Device, class Args>
  static void call(Device& device, const Args& args, const Params& params) {
    if (params["tile"] == 16)
      multiply_tiles<16, 1>(device, args.c, args.a, StraightTile<16, decltype(args.b)>{args.b});
    else
      multiply_tiles<32, 1>(device, args.c, args.a, StraightTile<32, decltype(args.b)>{args.b});
  }
};

}  // namespace tallcache::gpu::matmul
