// The launch of a product of floats as three TF32 products (split_product.cuh).
#pragma once

#include "common/ops/matmul.hpp"
#include "gpu/kernel_limits.hpp"
#include "gpu/matmul/split_product.cuh"
#include "gpu/matmul/tensor_rows.cuh"
#include "gpu/on_gpu.hpp"

namespace tallcache::gpu::matmul {

/// Where `rounded`, sums of 128 steps are added in registers; else the tensor cores make, and truncate, all sums.
template <bool rounded>
struct ThreeProducts : OnCapability<9, 0> {
  using operations = OperationList<Matmul<float>>;

  static std::size_t scratch(Matmul<float>, const Shape& shape, const Params&) {
    std::size_t tiles = 0;
    with_tiles(shape, [&](auto, const TileOrder& order) { tiles = order.tiles(); });
    return scratch_bytes({tensor_rows_bytes<float>(shape), 8 * tiles});
  }

  static void call(const Launch& launch, const Matmul<float>::Args<>& args, const Params&) {
    if (args.c.rows == 0 || args.c.cols == 0) return;
    if (args.a.cols == 0)
      return TALLCACHE_CUDA(cudaMemset2DAsync(args.c.data, args.c.ld * sizeof(float), 0,
                                              args.c.cols * sizeof(float), args.c.rows, stream_of(launch)));
    with_tiles(Matmul<float>::shape_of(args),
               [&](auto tiles, const TileOrder& order) { start(tiles, launch, args, order); });
  }

 private:
  /// Calls use(tiles, order) with the tiles that suit `shape`. High ones read B less often, but the last wave
  /// of low ones leaves fewer multiprocessors idle; the estimate is waves times height, where a wave has a
  /// part that does not depend on the height.
  template <class Use>
  static void with_tiles(const Shape& shape, const Use& use) {
    using High = SplitTiles<176, 3, rounded ? 4 : 0>;
    using Low = SplitTiles<128, 4, rounded ? 4 : 0>;
    const auto order_of = [&]<class Tiles>(Tiles) {
      return TileOrder{BlockOrder::recursive, static_cast<int>(ceil_div<Index>(shape["m"], Tiles::rows)),
                       static_cast<int>(ceil_div<Index>(shape["n"], Tiles::cols)), Tiles::rows, Tiles::cols};
    };
    const auto time = [&]<class Tiles>(Tiles tiles) {
      return ceil_div(order_of(tiles).tiles(), multiprocessors()) * (Tiles::rows + 32);
    };
    if (time(High{}) <= time(Low{}))
      use(High{}, order_of(High{}));
    else
      use(Low{}, order_of(Low{}));
  }

  template <class Tiles>
  static void start(Tiles, const Launch& launch, const Matmul<float>::Args<>& args, const TileOrder& order) {
    auto [c, a, b, scratch] = args;
    const auto a_rows = tensor_rows(launch, a, scratch, "A");
    const auto b_rows = tensor_rows(launch, b, scratch, "B");
    unsigned char* const unusual = scratch.vector<unsigned char>(Index{8} * order.tiles()).data;
    const auto kernel = multiply_three_times<Tiles>;
    allow_dynamic_shared(reinterpret_cast<const void*>(kernel), Tiles::shared_bytes);
    kernel<<<std::min(order.tiles(), multiprocessors()), Tiles::threads, Tiles::shared_bytes,
             stream_of(launch)>>>(
        c, tensor_map(a_rows, Tiles::rows, Tiles::depth), tensor_map(b_rows, Tiles::depth, Tiles::box_cols),
        order, static_cast<int>(ceil_div<Index>(a.cols, Tiles::depth)), pairs_of(c), unusual);
    check_launch();
    multiply_again<Tiles><<<order.tiles(), 256, 0, stream_of(launch)>>>(c, a, b, order, unusual);
    check_launch();
  }
};

}  // namespace tallcache::gpu::matmul
