// The product of doubles on the tensor cores of compute capability 8.0 and later.
#pragma once

#include "gpu/matmul/mma_product.cuh"
#include "gpu/matmul/quickest_way.cuh"

namespace tallcache::gpu::matmul {

struct warp_mma : OnGpu {
  static constexpr std::string_view idea =
      "tensor cores: a warp multiplies 32 x 64 elements by mma.sync, tiles copied asynchronously and "
      "swizzled so that 16-byte loads meet no bank twice, few tiles split along k among a cluster's blocks, "
      "the last wave among all, blocks as the recursion halves C; applies tiling, coarsening, coalescing";
  static constexpr std::string_view source =
      "M7: A cache-oblivious matrix multiplication algorithm, on the GPU; Osama et al. 2023; CUTLASS";
  using operations = OperationList<Matmul<double>>;
  static constexpr ParamSpec params[] = {
      {.name = "order",
       .default_value = static_cast<Index>(BlockOrder::recursive),
       .what = "of the blocks: 0 by rows, 1 in groups of 16 rows, 2 recursive, 3 recursive and mirrored",
       .min = 0,
       .choices = block_orders}};

  static std::size_t scratch(Matmul<double>, const Shape& shape, const Params&) {
    std::size_t bytes = 0;
    with_tiles(shape, BlockOrder::rows, [&]<class Way>(Way, const TileOrder&, const ProductPlan& plan) {
      bytes = Way::template scratch<double>(plan);
    });
    return bytes;
  }

  static void call(const Launch& launch, const Matmul<double>::Args<>& args, const Params& params) {
    const Shape shape = Matmul<double>::shape_of(args);
    auto [c, a, b, scratch] = args;
    with_tiles(shape, static_cast<BlockOrder>(params["order"]),
               [&]<class Way>(Way, const TileOrder& order, const ProductPlan& plan) {
                 Way::start(launch, c, a, b, scratch, order, plan, rows_are_chunks(a) && rows_are_chunks(b));
               });
  }

 private:
  template <class Use>
  static void with_tiles(const Shape& shape, BlockOrder order, const Use& use) {
    with_quickest_way<
        double,
        InBlocks<MmaShape<128, 128, 32, 64, 5>, TileTimes{4000, 12000, 66000, 79000, 1000},
                 TileTimes{4200, 12000, 76000, 80000, 3000}, Splits{true, true, true}>,
        InBlocks<MmaShape<64, 64, 32, 32, 4, 2>, TileTimes{2050, 2350, 17000, 34000, 2900},
                 TileTimes{1800, 2000, 19500, 44000, 2400}, Splits{true, true}>,
        InBlocks<MmaTiles<Doubles, 64, 64, 32, 32, 32, 4, 1, 2>, TileTimes{1800, 4500, 17100, 21200, 2300},
                 TileTimes{1800, 3050, 27800, 29900, 1900}>,
        InBlocks<MmaTiles<Doubles, 64, 32, 32, 32, 16, 4, 1, 2>, TileTimes{2550, 4600, 9100, 12800, 1400},
                 TileTimes{3700, 1550, 13300, 17600, 1400}>,
        InBlocks<MmaTiles<Doubles, 64, 32, 32, 32, 32, 4, 2, 2>, TileTimes{1950, 1130, 10000, 12600, 2700},
                 TileTimes{1500, 300, 15300, 22000, 2700}>,
        InBlocks<MmaTiles<Doubles, 32, 32, 64, 32, 16, 4, 1, 4>, TileTimes{2000, 2150, 7000, 7000, 1300},
                 TileTimes{2100, 1800, 9100, 9100, 2000}>,
        InBlocks<MmaShape<32, 32, 16, 16, 4, 4>, TileTimes{1500, 700, 6900, 9000, 1800},
                 TileTimes{1550, 100, 11500, 13600, 4400}>>(shape, order, use);
  }
};

}  // namespace tallcache::gpu::matmul
