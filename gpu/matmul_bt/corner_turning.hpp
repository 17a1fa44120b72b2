// Corner turning: a tile of the column-major B is read along its columns, as it is stored, and transposed on
// its way into shared memory.
#pragma once

#include "common/ops/matmul_bt.hpp"
#include "gpu/matmul/grid_tiled.hpp"
#include "gpu/matmul/shared_tiles.hpp"

namespace tallcache::gpu::matmul_bt {

/// The tile's rows are `pad` elements longer than `tile`. The text's kernel has no padding and writes a tile
/// of 32 down one column: all 32 lanes access one bank.
template <int tile, class View, int pad = 1>
struct TransposedTile {
  using T = typename View::value_type;
  using Storage = T[tile][tile + pad];
  View bt;

  template <class Thread, class Memory>
  TALLCACHE_DEVICE void load(const Thread& t, Memory&& b_tile, Index l, Index j) const {
    const int ty = t.thread().y, tx = t.thread().x;
    b_tile[tx][ty] = j + ty < bt.rows && l + tx < bt.cols ? bt(j + ty, l + tx) : T{};
  }
};

struct corner_turning : OnGpu {
  static constexpr std::string_view idea =
      "tiles in shared memory, B's read along its columns and transposed there; applies coalescing, tiling";
  static constexpr std::string_view source = "P2: Corner Turning (fig. 6.4), exercise 1";
  using operations = OperationList<MatmulBt<float>, MatmulBt<double>, MatmulBt<std::int32_t>>;
  static constexpr ParamSpec params[] = {{.name = "tile",
                                          .default_value = 32,
                                          .what = "rows and columns of a tile",
                                          .choices = matmul::square_tiles}};

  template <class Device, class Args>
  static void call(Device& device, const Args& args, const Params& params) {
    if (params["tile"] == 16)
      matmul::multiply_tiles<16, 1>(device, args.c, args.a, TransposedTile<16, decltype(args.bt)>{args.bt});
    else
      matmul::multiply_tiles<32, 1>(device, args.c, args.a, TransposedTile<32, decltype(args.bt)>{args.bt});
  }
};

}  // namespace tallcache::gpu::matmul_bt
