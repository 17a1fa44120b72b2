// Corner turning: a tile of the column-major B is read along its columns, as it lies in memory, and turned on
// its way into shared memory.
#pragma once

#include "common/ops/matmul_bt.hpp"
#include "gpu/matmul/grid_tiled.cuh"
#include "gpu/matmul/shared_tiles.cuh"

namespace tallcache::gpu::matmul_bt {

template <class T, int tile>
struct TurnedTile {
  // One more column than the seed's: it writes a tile of 32 down one column, all 32 lanes to one bank.
  using Storage = T[tile][tile + 1];
  MatrixView<const T> bt;

  __device__ void load(Storage& b_tile, Index l, Index j) const {
    const int ty = threadIdx.y, tx = threadIdx.x;
    b_tile[tx][ty] = j + ty < bt.rows && l + tx < bt.cols ? bt(j + ty, l + tx) : T{};
  }
};

struct corner_turning : OnGpu {
  static constexpr std::string_view idea =
      "tiles in shared memory, B's read along its columns and turned there; applies coalescing, tiling";
  static constexpr std::string_view source = "P2: Corner Turning (fig. 6.4), exercise 1";
  using operations = OperationList<MatmulBt<float>, MatmulBt<double>, MatmulBt<std::int32_t>>;
  static constexpr ParamSpec params[] = {{.name = "tile",
                                          .fallback = 32,
                                          .what = "rows and columns of a tile",
                                          .choices = matmul::square_tiles}};

  template <class Args>
  static void call(const Launch& launch, const Args& args, const Params& params) {
    using T = typename decltype(args.c)::value_type;
    if (params["tile"] == 16)
      matmul::multiply_tiles<16, 1>(launch, args.c, args.a, TurnedTile<T, 16>{args.bt});
    else
      matmul::multiply_tiles<32, 1>(launch, args.c, args.a, TurnedTile<T, 32>{args.bt});
  }
};

}  // namespace tallcache::gpu::matmul_bt
