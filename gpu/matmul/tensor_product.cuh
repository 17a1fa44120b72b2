// What products on Hopper's tensor cores do before their kernel starts.
#pragma once

#include "common/ops/matmul.hpp"
#include "gpu/kernel_limits.hpp"
#include "gpu/matmul/aligned_rows.cuh"
#include "gpu/matmul/block_order.hpp"
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
  return {c, pairs_of(c), by_boxes,
          by_boxes ? tensor_map(readable, StagedSums::rows, StagedSums::cols) : CUtensorMap{}};
}

/// Calls use(tiles, order) with those of least time. Large tiles read less, but leave multiprocessors idle in
/// the last wave, or in the only one. A step takes the time of its products, as many as elements of C, and a
/// part that does not depend on them: that of as many as Tiles::fixed.
template <class First, class... Others, class Use>
void with_quickest_tiles(const Shape& shape, BlockOrder block_order, const Use& use) {
  const auto time = [&]<class Tiles>(std::type_identity<Tiles>) {
    return ceil_div<Index>(tiles_of<Tiles>(shape, block_order).tiles(), multiprocessors()) *
           (Tiles::rows * Tiles::cols + Tiles::fixed);
  };
  [[maybe_unused]] const Index own = time(std::type_identity<First>{});
  if (((own <= time(std::type_identity<Others>{})) && ...)) {
    TileOrder order = tiles_of<First>(shape, block_order);
    // All run at once: their order does not matter, and this one takes no time before the first copy.
    if (order.tiles() <= multiprocessors()) order.order = BlockOrder::rows;
    use(First{}, order);
  } else if constexpr (sizeof...(Others) > 0) {
    with_quickest_tiles<Others...>(shape, block_order, use);
  }
}

/// Starts the product of factors that bulk copies can read.
template <class Tiles, class T>
void start_in_stages(const Launch& launch, const Target& target, const MatrixView<const T>& a,
                     const MatrixView<const T>& b, const TileOrder& order) {
  const auto kernel = multiply_in_stages<Tiles>;
  allow_dynamic_shared(reinterpret_cast<const void*>(kernel), Tiles::shared_bytes);
  constexpr int at_once = Tiles::steps_at_once;
  launch_dependent(kernel, std::min(order.tiles(), multiprocessors()), Tiles::threads, Tiles::shared_bytes,
                   stream_of(launch), target, tensor_map(a, Tiles::rows, Tiles::depth),
                   tensor_map(b, Tiles::depth, Tiles::box_cols), order,
                   static_cast<int>(ceil_div<Index>(a.cols, at_once * Tiles::depth)) * at_once);
}

/// C = A B with float sums, for factors of T, by the quickest of `Tiles`, the largest first.
template <class Op, class T, class... Tiles>
struct TensorProduct : OnCapability<9, 0> {
  using operations = OperationList<Op>;
  // Its size is said, as an array of a template has none before it is used.
  static constexpr ParamSpec params[1] = {
      {.name = "order",
       .default_value = static_cast<Index>(BlockOrder::recursive),
       .what = "of the blocks: 0 by rows, 1 in groups of 16 rows, 2 recursive, 3 recursive and mirrored",
       .min = 0,
       .choices = block_orders}};

  static std::size_t scratch(Op, const Shape& shape, const Params&) { return aligned_rows_bytes<T>(shape); }

  static void call(const Launch& launch, const typename Op::template Args<>& args, const Params& params) {
    if (has_no_products(launch, args)) return;
    auto scratch = args.scratch;
    const AlignedRows<T> a(launch, args.a, scratch), b(launch, args.b, scratch);
    const auto start = [&]<class Chosen>(Chosen, const TileOrder& order) {
      start_in_stages<Chosen>(launch, target_of(args.c), a.view(), b.view(), order);
    };
    with_quickest_tiles<Tiles...>(Op::shape_of(args), static_cast<BlockOrder>(params["order"]), start);
  }
};

}  // namespace tallcache::gpu::matmul
