// What products on Hopper's tensor cores do before their kernel starts.
#pragma once

#include "common/ops/matmul.hpp"
#include "gpu/kernel_limits.hpp"
#include "gpu/matmul/aligned_rows.cuh"
#include "gpu/matmul/block_order.hpp"
#include "gpu/matmul/quickest_way.cuh"
#include "gpu/matmul/warp_roles.cuh"
#include "gpu/on_gpu.hpp"

namespace tallcache::gpu::matmul {

/// Whether A B has no products. C, where it has elements, is then set to zero.
template <class Args>
bool has_no_products(const Launch& launch, const Args& args) {
  const auto& c = args.c;
  if (c.rows == 0 || c.cols == 0) return true;
  if (args.a.cols > 0) return false;
  TALLCACHE_CUDA(
      cudaMemset2DAsync(c.data, c.ld * sizeof(float), 0, c.cols * sizeof(float), c.rows, stream_of(launch)));
  return true;
}

/// C for a kernel. Bulk copies store whole 16 bytes, even of a row whose last columns are fewer: what lies
/// behind them would be overwritten.
inline Target target_of(const MatrixView<float>& c) {
  const MatrixView<const float> readable = c;
  const bool by_boxes = has_tensor_map(readable) && c.cols * sizeof(float) % 16 == 0;
  return {c,        pairs_of(c),
          by_boxes, by_boxes ? tensor_map(readable, StagedSums::rows, StagedSums::cols) : CUtensorMap{},
          nullptr,  rows_are_chunks(c)};
}

/// Starts the product of factors that bulk copies can read. Where parts > 1, clusters of as many blocks
/// have a tile each.
template <class Tiles, class T>
void start_in_stages(const Launch& launch, const Target& target, const MatrixView<const T>& a,
                     const MatrixView<const T>& b, const TileOrder& order, int parts = 1) {
  const auto kernel = multiply_in_stages<Tiles>;
  allow_dynamic_shared(reinterpret_cast<const void*>(kernel), Tiles::shared_bytes);
  constexpr int at_once = Tiles::steps_at_once;
  const Index units = ceil_div<Index>(a.cols, at_once * Tiles::depth);
  const int blocks = parts > 1 ? order.tiles() * parts : std::min(order.tiles(), multiprocessors());
  launch_dependent_clusters(
      kernel, parts, blocks, Tiles::threads, Tiles::shared_bytes, stream_of(launch), target,
      tensor_map(a, Tiles::rows, Tiles::depth), tensor_map(b, Tiles::depth, Tiles::box_cols), order,
      static_cast<int>(units * at_once), parts, static_cast<int>(ceil_div(units, Index{parts}) * at_once));
}

/// Tiles whose factors bulk copies read and four warps multiply (wgmma), and their times.
template <class BlockTiles, TileTimes measured>
struct InStages {
  using Tiles = BlockTiles;

  template <class T>
  static ProductPlan plan(const Shape& shape, std::span<const int> processors) {
    const Index tiles = tiles_of<Tiles>(shape, BlockOrder::rows).tiles();
    // Blocks stay for several tiles, or have parts of one.
    std::size_t parts = 1;
    while (Tiles::splits && parts < processors.size() &&
           tiles * static_cast<Index>(parts + 1) <= processors[parts])
      ++parts;
    ProductPlan plan = ProductPlan::of_clusters(tiles, shape["k"], Index{Tiles::depth} * Tiles::steps_at_once,
                                                measured, processors.first(parts));
    const std::size_t bytes = aligned_rows_bytes<T>(shape);
    plan.copies = bytes > 0;
    if (plan.copies) plan.time += copy_start_ns<T> + static_cast<double>(bytes) * copy_ps_of_byte<T> * 1e-3;
    return plan;
  }

  template <class T>
  static void start(const Launch& launch, const MatrixView<float>& c, const MatrixView<const T>& a,
                    const MatrixView<const T>& b, Scratch<>& scratch, const TileOrder& order,
                    const ProductPlan& plan, bool) {
    const AlignedRows<T> factors(launch, scratch, a, b);
    start_in_stages<Tiles>(launch, target_of(c), factors.first(), factors.second(), order, plan.parts);
  }

 private:
  // A thread loads the elements of a row one by one: those of 2 bytes take longer.
  template <class T>
  static constexpr double copy_start_ns = sizeof(T) == 2 ? 3000 : 2000;
  template <class T>
  static constexpr double copy_ps_of_byte = sizeof(T) == 2 ? 3.5 : 0.9;
};

/// C = A B with float sums, for factors of T, by the quickest of `Ways`.
template <class Op, class T, class... Ways>
struct TensorProduct : OnCapability<9, 0> {
  using operations = OperationList<Op>;
  // Its size is said, as an array of a template has none before it is used.
  static constexpr ParamSpec params[1] = {
      {.name = "order",
       .default_value = static_cast<Index>(BlockOrder::recursive),
       .what = "of the blocks: 0 by rows, 1 in groups of 16 rows, 2 recursive, 3 recursive and mirrored",
       .min = 0,
       .choices = block_orders}};

  static std::size_t scratch(Op, const Shape& shape, const Params&) {
    std::size_t bytes = 0;
    with_quickest_way<T, Ways...>(shape, BlockOrder::rows,
                                  [&](auto, const TileOrder&, const ProductPlan& plan) {
                                    if (plan.copies) bytes = aligned_rows_bytes<T>(shape);
                                  });
    return bytes;
  }

  static void call(const Launch& launch, const typename Op::template Args<>& args, const Params& params) {
    if (has_no_products(launch, args)) return;
    auto [c, a, b, scratch] = args;
    const auto start = [&]<class Way>(Way, const TileOrder& order, const ProductPlan& plan) {
      Way::start(launch, c, a, b, scratch, order, plan, rows_are_chunks(a) && rows_are_chunks(b));
    };
    with_quickest_way<T, Ways...>(Op::shape_of(args), static_cast<BlockOrder>(params["order"]), start);
  }
};

}  // namespace tallcache::gpu::matmul
