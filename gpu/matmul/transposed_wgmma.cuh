// The product of floats on Hopper's tensor cores, with 10 bits of their mantissas.
#pragma once

#include "common/ops/matmul_tf32.hpp"
#include "gpu/matmul/tensor_product.cuh"
#include "gpu/matmul/transposed_tiles.cuh"

namespace tallcache::gpu::matmul {

template <int rows, int stages>
struct Tf32Tiles : TransposedTiles<rows, stages> {
  static constexpr int steps_at_once = 2, fixed = 256 * 128;
  using Products = Tf32Products<Tf32Tiles>;
};

struct transposed_wgmma
    : TensorProduct<MatmulTf32, float, Tf32Tiles<256, 4>, Tf32Tiles<128, 6>, Tf32Tiles<64, 8>> {
  static constexpr std::string_view idea =
      "tensor cores on TF32: C^T = B^T A^T, as the instructions read both factors along k; B^T, rounded, is "
      "in registers, A, truncated, in shared memory; a warp copies by TMA, two groups of four warps "
      "multiply, blocks stay for all their tiles, as the recursion halves C; applies tiling, coalescing";
  static constexpr std::string_view source =
      "M7: A cache-oblivious matrix multiplication algorithm, on the GPU; CUTLASS";
};

}  // namespace tallcache::gpu::matmul
