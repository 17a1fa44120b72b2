// The product of floats on Hopper's tensor cores, with 10 bits of their mantissas.
#pragma once

#include "common/ops/matmul_tf32.hpp"
#include "gpu/kernel_limits.hpp"
#include "gpu/matmul/tensor_rows.cuh"
#include "gpu/matmul/transposed_tiles.cuh"
#include "gpu/on_gpu.hpp"

namespace tallcache::gpu::matmul {

struct transposed_wgmma : OnCapability<9, 0> {
  static constexpr std::string_view idea =
      "tensor cores on TF32: C^T = B^T A^T, as the instructions read both factors along k; B^T, rounded, is in "
      "registers, A, truncated, in shared memory; a warp copies by TMA, two groups of four warps multiply, "
      "blocks stay for all their tiles, as the recursion halves C; applies tiling, coalescing";
  static constexpr std::string_view source =
      "M7: A cache-oblivious matrix multiplication algorithm, on the GPU; CUTLASS";
  using operations = OperationList<MatmulTf32>;
  static constexpr ParamSpec params[] = {
      {.name = "order",
       .default_value = static_cast<Index>(BlockOrder::recursive),
       .what = "of the blocks: 0 by rows, 1 in groups of 16 rows, 2 recursive, 3 recursive and mirrored",
       .min = 0,
       .choices = block_orders}};

  static std::size_t scratch(MatmulTf32, const Shape& shape, const Params&) {
    return tensor_rows_bytes<float>(shape);
  }

  static void call(const Launch& launch, const MatmulTf32::Args<>& args, const Params& params) {
    auto [c, a, b, scratch] = args;
    if (c.rows == 0 || c.cols == 0) return;
    if (a.cols == 0)
      return TALLCACHE_CUDA(cudaMemset2DAsync(c.data, c.ld * sizeof(float), 0, c.cols * sizeof(float), c.rows,
                                              stream_of(launch)));
    a = tensor_rows(launch, a, scratch, "A");
    b = tensor_rows(launch, b, scratch, "B");
    const auto order = static_cast<BlockOrder>(params["order"]);
    // Half as high where few multiprocessors would have a tile.
    if (ceil_div<Index>(c.rows, 256) * ceil_div<Index>(c.cols, 128) * 4 < multiprocessors() * Index{3})
      start<TransposedTiles<128, 6>>(launch, c, a, b, order);
    else
      start<TransposedTiles<256, 4>>(launch, c, a, b, order);
  }

 private:
  template <class Tiles>
  static void start(const Launch& launch, const MatrixView<float>& c, const MatrixView<const float>& a,
                    const MatrixView<const float>& b, BlockOrder block_order) {
    const TileOrder order{block_order, static_cast<int>(ceil_div<Index>(c.rows, Tiles::rows)),
                          static_cast<int>(ceil_div<Index>(c.cols, Tiles::cols)), Tiles::rows, Tiles::cols};
    const auto kernel = multiply_transposed<Tiles>;
    allow_dynamic_shared(reinterpret_cast<const void*>(kernel), Tiles::shared_bytes);
    kernel<<<std::min(order.tiles(), multiprocessors()), Tiles::threads, Tiles::shared_bytes,
             stream_of(launch)>>>(
        c, tensor_map(a, Tiles::rows, Tiles::depth), tensor_map(b, Tiles::depth, Tiles::box_cols), order,
        static_cast<int>(ceil_div<Index>(a.cols, 2 * Tiles::depth)) * 2, pairs_of(c));
    check_launch();
  }
};

}  // namespace tallcache::gpu::matmul
