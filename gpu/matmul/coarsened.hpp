// Thread coarsening: a thread computes `factor` elements of C, each a tile apart, from one copy of the tile
// of A.
#pragma once

#include "gpu/matmul/shared_tiles.hpp"

namespace tallcache::gpu::matmul {

struct coarsened : OnGpu {
  static constexpr std::string_view idea =
      "tiles of 32 in shared memory, a thread does factor elements and the block reads A's tile once for "
      "them; applies coarsening";
  static constexpr std::string_view source = "P3: Thread Coarsening (fig. 6.13)";
  using operations = OperationList<Matmul<float>, Matmul<double>, Matmul<std::int32_t>>;
  static constexpr Index factors[] = {1, 2, 4, 8};
  static constexpr ParamSpec params[] = {
      {.name = "factor", .default_value = 4, .what = "elements of C a thread", .choices = factors}};

  template <class Device, class Args>
  static void call(Device& device, const Args& args, const Params& params) {
    const StraightTile<32, decltype(args.b)> b{args.b};
    switch (params["factor"]) {
      case 1:
        return multiply_tiles<32, 1>(device, args.c, args.a, b);
      case 2:
        return multiply_tiles<32, 2>(device, args.c, args.a, b);
      case 4:
        return multiply_tiles<32, 4>(device, args.c, args.a, b);
      default:
        return multiply_tiles<32, 8>(device, args.c, args.a, b);
    }
  }
};

}  // namespace tallcache::gpu::matmul
