// The product of bfloat16 matrices on Hopper's tensor cores.
#pragma once

#include "common/ops/matmul.hpp"
#include "gpu/check.hpp"
#include "gpu/kernel_limits.hpp"
#include "gpu/matmul/warp_roles.cuh"
#include "gpu/on_gpu.hpp"
#include "gpu/tensor_map.hpp"

namespace tallcache::gpu::matmul {

/// Copies a matrix to rows that start at multiples of 16 bytes.
__global__ void __launch_bounds__(256) copy_rows(MatrixView<Bfloat16> to, MatrixView<const Bfloat16> from) {
  for (Index i = blockIdx.x; i < from.rows; i += gridDim.x)
    for (Index j = blockIdx.y * Index{256} + threadIdx.x; j < from.cols; j += gridDim.y * Index{256})
      to(i, j) = from(i, j);
}

struct specialised_warps : OnCapability<9, 0> {
  static constexpr std::string_view idea =
      "tensor cores: a warp copies tiles by TMA, two groups of four warps multiply 64 x 256 elements each by "
      "wgmma, blocks stay for all their tiles, as the recursion halves C; rows of no whole 16 bytes are copied "
      "first; applies tiling, coalescing";
  static constexpr std::string_view source =
      "M7: A cache-oblivious matrix multiplication algorithm, on the GPU; CUTLASS";
  using operations = OperationList<Matmul<Bfloat16>>;
  static constexpr ParamSpec params[] = {
      {.name = "order",
       .default_value = static_cast<Index>(BlockOrder::recursive),
       .what = "of the blocks: 0 by rows, 1 in groups of 16 rows, 2 recursive, 3 recursive and mirrored",
       .min = 0,
       .choices = block_orders}};

  static std::size_t scratch(Matmul<Bfloat16>, const Shape& shape, const Params&) {
    const Index k = shape["k"], n = shape["n"], pad = shape["pad"];
    const auto bytes = [](Index rows, Index cols, Index ld) {
      return ld % chunk == 0 ? 0 : static_cast<std::size_t>(rows * padded(cols)) * sizeof(Bfloat16);
    };
    return scratch_bytes({bytes(shape["m"], k, k + pad), bytes(k, n, n + pad)});
  }

  static void call(const Launch& launch, const Matmul<Bfloat16>::Args<>& args, const Params& params) {
    auto [c, a, b, scratch] = args;
    if (c.rows == 0 || c.cols == 0) return;
    if (a.cols == 0)
      return TALLCACHE_CUDA(cudaMemset2DAsync(c.data, c.ld * sizeof(float), 0, c.cols * sizeof(float), c.rows,
                                              stream_of(launch)));
    a = aligned(launch, a, scratch, "A");
    b = aligned(launch, b, scratch, "B");
    const auto order = static_cast<BlockOrder>(params["order"]);
    // Half as wide where few multiprocessors would have a tile.
    if (ceil_div<Index>(c.rows, 128) * ceil_div<Index>(c.cols, 256) * 4 < multiprocessors() * Index{3})
      start<TensorTiles<128, 6>>(launch, c, a, b, order);
    else
      start<TensorTiles<256, 4>>(launch, c, a, b, order);
  }

 private:
  static constexpr Index chunk = 16 / sizeof(Bfloat16);
  static constexpr Index padded(Index cols) { return ceil_div(cols, chunk) * chunk; }

  /// `from`, or its copy in `scratch` when its rows are not whole 16 bytes.
  static MatrixView<const Bfloat16> aligned(const Launch& launch, const MatrixView<const Bfloat16>& from,
                                            Scratch<>& scratch, const char* name) {
    if (has_tensor_map(from)) return from;
    if (from.ld % chunk == 0)
      throw Error(std::string("matmul: ") + name + " starts at no multiple of 16 bytes");
    MatrixView<Bfloat16> to = scratch.matrix<Bfloat16>(from.rows, padded(from.cols));
    to.cols = from.cols;
    const dim3 grid(static_cast<unsigned>(std::min<Index>(from.rows, 1 << 20)),
                    static_cast<unsigned>(std::min<Index>(ceil_div<Index>(from.cols, 256), 64)));
    copy_rows<<<grid, 256, 0, stream_of(launch)>>>(to, from);
    check_launch();
    return to;
  }

  template <class Tiles>
  static void start(const Launch& launch, const MatrixView<float>& c, const MatrixView<const Bfloat16>& a,
                    const MatrixView<const Bfloat16>& b, BlockOrder block_order) {
    const TileOrder order{block_order, static_cast<int>(ceil_div<Index>(c.rows, Tiles::rows)),
                          static_cast<int>(ceil_div<Index>(c.cols, Tiles::cols)), Tiles::rows, Tiles::cols};
    const auto kernel = multiply_by_specialised_warps<Tiles>;
    allow_dynamic_shared(reinterpret_cast<const void*>(kernel), Tiles::shared_bytes);
    const bool pairs = c.ld % 2 == 0 && reinterpret_cast<std::uintptr_t>(c.data) % 8 == 0;
    kernel<<<std::min(order.tiles(), multiprocessors()), Tiles::threads, Tiles::shared_bytes,
             stream_of(launch)>>>(c, tensor_map(a, Tiles::rows, Tiles::depth),
                                  tensor_map(b, Tiles::depth, Tiles::box_cols), order,
                                  static_cast<int>(ceil_div<Index>(a.cols, Tiles::depth)), pairs);
    check_launch();
  }
};

}  // namespace tallcache::gpu::matmul
