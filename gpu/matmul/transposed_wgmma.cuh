// The product of floats on Hopper's tensor cores, with 10 bits of their mantissas.
#pragma once

#include "common/ops/matmul_tf32.hpp"
#include "gpu/matmul/mma_product.cuh"
#include "gpu/matmul/tensor_product.cuh"
#include "gpu/matmul/transposed_tiles.cuh"

namespace tallcache::gpu::matmul {

template <int rows, int cols, int stages>
struct Tf32Tiles : TransposedTiles<rows, cols, stages, 0, rows <= 128> {
  static constexpr int steps_at_once = 2;
  using Products = Tf32Products<Tf32Tiles>;
};

struct transposed_wgmma
    : TensorProduct<
          MatmulTf32, float, InStages<Tf32Tiles<256, 128, 4>, TileTimes{4500, 1900, 20400, 20400, 0}>,
          InStages<Tf32Tiles<192, 128, 5>, TileTimes{3200, 10000, 16300, 16300, 0}>,
          InStages<Tf32Tiles<128, 128, 6>, TileTimes{2700, 7400, 15800, 15800, 2600}>,
          InStages<Tf32Tiles<256, 64, 5>, TileTimes{4500, 3100, 13400, 13400, 0}>,
          InStages<Tf32Tiles<128, 64, 8>, TileTimes{2750, 3650, 9850, 10250, 1700}>,
          InStages<Tf32Tiles<64, 64, 8>, TileTimes{2400, 3100, 7850, 8750, 1100}>,
          InBlocks<MmaTiles<Tf32Floats, 32, 32, 64, 32, 16, 4, 2, 4>, TileTimes{1550, 250, 3800, 5550, 1650},
                   TileTimes{1850, 300, 7350, 8700, 1700}>,
          InBlocks<MmaTiles<Tf32Floats, 32, 32, 32, 16, 16, 4, 4>, TileTimes{1150, 600, 4650, 7150, 1750},
                   TileTimes{1650, 300, 7750, 14150, 1700}>> {
  static constexpr std::string_view idea =
      "tensor cores on TF32: C^T = B^T A^T, as the instructions read both factors along k; B^T, rounded, is "
      "in registers, A, truncated, in shared memory; a warp copies by TMA, one or two groups of four "
      "warps multiply, blocks stay for all their tiles, as the recursion halves C, or a cluster's blocks "
      "have parts of k; short products by mma.sync; applies tiling, coalescing";
  static constexpr std::string_view source =
      "M7: A cache-oblivious matrix multiplication algorithm, on the GPU; CUTLASS";
};

}  // namespace tallcache::gpu::matmul
