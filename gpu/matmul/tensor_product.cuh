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

/// C = A B with float sums, for factors of T. Kernels has `Large`, the tiles for large C; `Small`, half as
/// large, for where few multiprocessors would have a tile; `kernel<Tiles>`; and `steps_at_once`, of which the
/// kernel takes a whole number along k.
template <class Op, class T, class Kernels>
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
    const auto order = static_cast<BlockOrder>(params["order"]);
    const auto large = tiles_of<typename Kernels::Large>(Op::shape_of(args), order);
    if (large.tiles() * Index{4} < multiprocessors() * Index{3})
      start(typename Kernels::Small{}, launch, args, a.view(), b.view(), order);
    else
      start(typename Kernels::Large{}, launch, args, a.view(), b.view(), order);
  }

 private:
  template <class Tiles>
  static void start(Tiles, const Launch& launch, const typename Op::template Args<>& args,
                    const MatrixView<const T>& a, const MatrixView<const T>& b, BlockOrder block_order) {
    const TileOrder order = tiles_of<Tiles>(Op::shape_of(args), block_order);
    const auto kernel = Kernels::template kernel<Tiles>;
    allow_dynamic_shared(reinterpret_cast<const void*>(kernel), Tiles::shared_bytes);
    constexpr int at_once = Kernels::steps_at_once;
    kernel<<<std::min(order.tiles(), multiprocessors()), Tiles::threads, Tiles::shared_bytes,
             stream_of(launch)>>>(
        target_of(args.c), tensor_map(a, Tiles::rows, Tiles::depth),
        tensor_map(b, Tiles::depth, Tiles::box_cols), order,
        static_cast<int>(ceil_div<Index>(a.cols, at_once * Tiles::depth)) * at_once);
    check_launch();
  }
};

}  // namespace tallcache::gpu::matmul
