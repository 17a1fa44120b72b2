// The product of floats on Hopper's tensor cores, with 10 bits of their mantissas.
#pragma once

#include "common/ops/matmul_tf32.hpp"
#include "gpu/matmul/tensor_product.cuh"
#include "gpu/matmul/transposed_tiles.cuh"

namespace tallcache::gpu::matmul {

struct Tf32Kernels {
  using Large = TransposedTiles<256, 4>;
  using Small = TransposedTiles<128, 6>;
  template <class Tiles>
  static constexpr auto kernel = multiply_transposed<Tiles>;
  static constexpr int steps_at_once = 2;
};

struct transposed_wgmma : TensorProduct<MatmulTf32, float, Tf32Kernels> {
  static constexpr std::string_view idea =
      "tensor cores on TF32: C^T = B^T A^T, as the instructions read both factors along k; B^T, rounded, is "
      "in registers, A, truncated, in shared memory; a warp copies by TMA, two groups of four warps "
      "multiply, blocks stay for all their tiles, as the recursion halves C; applies tiling, coalescing";
  static constexpr std::string_view source =
      "M7: A cache-oblivious matrix multiplication algorithm, on the GPU; CUTLASS";
};

}  // namespace tallcache::gpu::matmul
