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
    using Few = SplitTiles<128, 128, 4, Sums::compensated>;
    if constexpr (!rounded)
      with_tiles_of<Sums::truncated>(shape, use);
    else if (shape["k"] <= 1024)
      with_tiles_of<Sums::fine, Way<64, 128, 6, Sums::fine, 3500, 28000>,
                    Way<64, 64, 6, Sums::fine, 3200, 21400>>(shape, use);
    else if (const TileOrder order = tiles_of<Few>(shape, BlockOrder::recursive);
             order.tiles() * 2 <= multiprocessors() * 3)
      use(Few{}, order);
    else
      with_tiles_of<Sums::rounded>(shape, use);
  }

  template <int rows, int cols, int stages, Sums sums, int start_ns, int step_ps>
  using Way =
      InStages<SplitTiles<rows, cols, stages, sums>, TileTimes{start_ns, start_ns, step_ps, step_ps, 0}>;

  template <Sums sums, class... More, class Use>
  static void with_tiles_of(const Shape& shape, const Use& use) {
    with_quickest_way<float, Way<176, 128, 3, sums, 4600, 51500>, Way<128, 128, 4, sums, 4000, 39600>,
                      More...>(shape, BlockOrder::recursive,
                               [&]<class Quickest>(Quickest, const TileOrder& order, const ProductPlan&) {
                                 use(typename Quickest::Tiles{}, order);
                               });
  }

  template <class Tiles>
  static void start(Tiles, const Launch& launch, const Matmul<float>::Args<>& args, const TileOrder& order) {
    auto [c, a, b, scratch] = args;
    unsigned char* const unusual = scratch.vector<unsigned char>(Index{8} * order.tiles()).data;
    const AlignedRows<float> factors(launch, scratch, a, b);
    start_in_stages<Tiles>(launch, {c, pairs_of(c), false, {}, unusual}, factors.first(), factors.second(),
                           order);
    launch_dependent(multiply_again<Tiles>, order.tiles(), 256, 0, stream_of(launch), c, a, b, order,
                     unusual);
  }
};

}  // namespace tallcache::gpu::matmul
