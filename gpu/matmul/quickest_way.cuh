// The ways to make a product, and the choice of that of least time.
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <span>

#include "gpu/matmul/aligned_rows.cuh"
#include "gpu/matmul/cluster_product.cuh"
#include "gpu/matmul/product_plan.hpp"

namespace tallcache::gpu::matmul {

/// How tiles may be divided along k: each among the blocks of a cluster, what is left over among all blocks.
/// Where `whole_apart`, a kernel of its own, which has more registers, does whole ones.
struct Splits {
  bool in_clusters = true, shared = false, whole_apart = false;
};

/// Tiles whose factors threads copy to shared memory, and their times: where rows of both start at multiples
/// of 16 bytes, and where not. They are no way on a device whose blocks may have less shared memory.
template <class BlockTiles, TileTimes of_chunks, TileTimes of_elements, Splits splits = Splits{}>
struct InBlocks {
  using Tiles = BlockTiles;

  template <class T>
  static ProductPlan plan(const Shape& shape, std::span<const int> processors) {
    return plan_of<T>(shape, aligned_rows_bytes<T>(shape) == 0 ? of_chunks : of_elements, processors);
  }
  template <class T>
  static ProductPlan plan_of(const Shape& shape, const TileTimes& times, std::span<const int> processors) {
    if (BlockProduct<T, Tiles, true>::shared_bytes > shared_bytes_of_block())
      return {std::numeric_limits<double>::infinity()};
    const Index tiles = tiles_of<Tiles>(shape, BlockOrder::rows).tiles(), k = shape["k"];
    ProductPlan whole = ProductPlan::of_clusters(
        tiles, k, Tiles::depth, times, processors.first(splits.in_clusters ? processors.size() : 1));
    whole.stream = StreamPlan::of_whole_tiles(tiles, ceil_div<Index>(k, Tiles::depth));
    if (!splits.shared) return whole;
    const auto shared = ProductPlan::of_stream<Tiles>(tiles, k, times, processors[0]);
    return shared.time < whole.time ? shared : whole;
  }
  template <class Sum>
  static std::size_t scratch(const ProductPlan& plan) {
    return scratch_bytes({plan.stream.slots() * Tiles::rows * Tiles::cols * sizeof(Sum)});
  }

  template <class Sum, class T, class Wide>
  static void start(const Launch& launch, const MatrixView<Sum>& c, const MatrixView<const T>& a,
                    const MatrixView<const T>& b, Scratch<>& scratch, const TileOrder& order,
                    const ProductPlan& plan, Wide wide) {
    if constexpr (splits.shared || splits.whole_apart)
      if (plan.stream.sharing > 0 || (splits.whole_apart && plan.parts == 1))
        return multiply_in_blocks<Tiles, splits.shared>(launch, c, a, b, order, plan.stream,
                                                        parts_of<Tiles, Sum>(scratch, plan.stream), wide);
    if constexpr (splits.in_clusters) start_in_clusters<Tiles>(launch, c, a, b, order, plan.parts, wide);
  }
};

/// Stands for kernels of which a block has a multiprocessor alone.
template <class>
__global__ void fill_multiprocessor() {}

/// Calls use(way, order, plan) with the way of least time.
template <class T, class... Ways, class Use>
void with_quickest_way(const Shape& shape, BlockOrder block_order, const Use& use) {
  std::array<int, ProductPlan::most_parts> processors;
  for (int parts = 1; parts <= ProductPlan::most_parts; ++parts)
    processors[parts - 1] =
        multiprocessors_of_clusters(reinterpret_cast<const void*>(fill_multiprocessor<void>), parts);
  const ProductPlan plans[] = {Ways::template plan<T>(shape, processors)...};
  const auto best = std::ranges::min_element(plans, {}, &ProductPlan::time) - std::begin(plans);
  const auto start = [&]<class Way>(Way way) {
    TileOrder order = tiles_of<typename Way::Tiles>(shape, block_order);
    // All run at once: their order does not matter, and this one takes no time before the first copy.
    if (Index{order.tiles()} * plans[best].parts <= processors[0]) order.order = BlockOrder::rows;
    use(way, order, plans[best]);
  };
  std::ptrdiff_t at = 0;
  ((at++ == best ? start(Ways{}) : void()), ...);
}

}  // namespace tallcache::gpu::matmul
