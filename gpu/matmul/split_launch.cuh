// The launch of a product of floats as three TF32 products (split_product.cuh).
#pragma once

#include "common/ops/matmul.hpp"
#include "gpu/kernel_limits.hpp"
#include "gpu/matmul/split_product.cuh"
#include "gpu/matmul/tensor_product.cuh"

namespace tallcache::gpu::matmul {

/// Where `rounded`, sums of few steps are added in registers; else tensor cores make and truncate all sums.
template <bool rounded>
struct ThreeProducts : OnCapability<9, 0> {
  using operations = OperationList<Matmul<float>>;

  static std::size_t scratch(Matmul<float>, const Shape& shape, const Params&) {
    std::size_t tiles = 0;
    with_tiles(shape, [&](auto, const TileOrder& order) { tiles = order.tiles(); });
    return scratch_bytes({aligned_rows_bytes<float>(shape), 8 * tiles});
  }

  static void call(const Launch& launch, const Matmul<float>::Args<>& args, const Params&) {
    if (has_no_products(launch, args)) return;
    with_tiles(Matmul<float>::shape_of(args),
               [&](auto tiles, const TileOrder& order) { start(tiles, launch, args, order); });
  }

 private:
  /// Calls use(tiles, order) with the tiles that suit `shape`. Up to 1024 steps along k sums of 32 lose less
  /// than float's rounding. Beyond, so do those of 128, as float's error grows; but where C has few tiles,
  /// libraries split k and add shorter sums, and it is the compensated ones whose errors are below theirs.
  template <class Use>
  static void with_tiles(const Shape& shape, const Use& use) {
    using Few = SplitTiles<128, 4, Sums::compensated>;
    if constexpr (!rounded)
      with_tiles_of<Sums::truncated>(shape, use);
    else if (shape["k"] <= 1024)
      with_tiles_of<Sums::fine>(shape, use);
    else if (const TileOrder order = tiles_of<Few>(shape, BlockOrder::recursive);
             order.tiles() * 2 <= multiprocessors() * 3)
      use(Few{}, order);
    else
      with_tiles_of<Sums::rounded>(shape, use);
  }

  /// High tiles read B less often, but the last wave of low ones leaves fewer multiprocessors idle; the
  /// estimate is waves times height, where a wave has a part that does not depend on the height.
  template <Sums sums, class Use>
  static void with_tiles_of(const Shape& shape, const Use& use) {
    using High = SplitTiles<176, 3, sums>;
    using Low = SplitTiles<128, 4, sums>;
    const TileOrder high = tiles_of<High>(shape, BlockOrder::recursive),
                    low = tiles_of<Low>(shape, BlockOrder::recursive);
    const auto time = [](const TileOrder& order) {
      return ceil_div(order.tiles(), multiprocessors()) * (static_cast<int>(order.height) + 32);
    };
    if (time(high) <= time(low))
      use(High{}, high);
    else
      use(Low{}, low);
  }

  template <class Tiles>
  static void start(Tiles, const Launch& launch, const Matmul<float>::Args<>& args, const TileOrder& order) {
    auto [c, a, b, scratch] = args;
    unsigned char* const unusual = scratch.vector<unsigned char>(Index{8} * order.tiles()).data;
    const AlignedRows<float> a_rows(launch, a, scratch), b_rows(launch, b, scratch);
    const auto kernel = multiply_three_times<Tiles>;
    allow_dynamic_shared(reinterpret_cast<const void*>(kernel), Tiles::shared_bytes);
    kernel<<<std::min(order.tiles(), multiprocessors()), Tiles::threads, Tiles::shared_bytes,
             stream_of(launch)>>>(c, tensor_map(a_rows.view(), Tiles::rows, Tiles::depth),
                                  tensor_map(b_rows.view(), Tiles::depth, Tiles::box_cols), order,
                                  static_cast<int>(ceil_div<Index>(a.cols, Tiles::depth)), pairs_of(c),
                                  unusual);
    check_launch();
    multiply_again<Tiles><<<order.tiles(), 256, 0, stream_of(launch)>>>(c, a, b, order, unusual);
    check_launch();
  }
};

}  // namespace tallcache::gpu::matmul
