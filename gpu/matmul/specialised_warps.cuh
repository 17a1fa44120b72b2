// The product of bfloat16 matrices on Hopper's tensor cores.
#pragma once

#include "gpu/matmul/mma_product.cuh"
#include "gpu/matmul/tensor_product.cuh"

namespace tallcache::gpu::matmul {

/// A warpgroup has 64 rows of a tile of C.
template <class Tiles>
class Bfloat16Products : public StagedProducts {
 public:
  __device__ explicit Bfloat16Products(const SharedTiles<Tiles>& tiles)
      : warp(threadIdx.x / 32 - 4),
        staged{tiles.memory + Tiles::factor_bytes + warp * StagedSums::bytes_of_warp} {}

  template <class Release>
  __device__ __forceinline__ void add(const SharedTiles<Tiles>& tiles, const Turn<Tiles::stages>& turn,
                                      int step, int, const Release&) {
    const std::uint32_t a = shared_address(tiles.a(turn.stage)) + warp / 4 * 64 * 128;
    const std::uint32_t b = shared_address(tiles.b(turn.stage));
    begin_products();
#pragma unroll
    for (int l = 0; l < Tiles::depth / 16; ++l)
      multiply_tiles_of_four_warps(sum, swizzled_tile(a + l * 32, 16, 1024),
                                   swizzled_tile(b + l * 2048, Tiles::box_bytes, 1024), step | l);
    commit_products();
  }

  __device__ void store(const Target& target, int, int row, int col) const {
    if (target.by_boxes)
      staged.store(target.boxes, sum, row + warp * StagedSums::rows, col);
    else
      store_sums(target.c, sum, row + warp / 4 * 64, col, target.pairs);
  }
  __device__ void finish() const { StagedSums::finish(); }

 private:
  int warp;  ///< of those that multiply
  StagedSums staged;
  float sum[Tiles::cols / 2];
};

template <int rows, int cols, int stages>
struct Bfloat16Tiles : StagedTiles<Bfloat16, rows, cols, 64, 64, stages,
                                   rows / 16 * StagedSums::bytes_of_warp, rows / 64, cols <= 128> {
  using Products = Bfloat16Products<Bfloat16Tiles>;
};

struct specialised_warps
    : TensorProduct<Matmul<Bfloat16>, Bfloat16,
                    InStages<Bfloat16Tiles<128, 256, 4>, TileTimes{3300, 1300, 10900, 10900, 0}>,
                    InStages<Bfloat16Tiles<128, 192, 4>, TileTimes{2900, 5200, 8000, 8000, 0}>,
                    InStages<Bfloat16Tiles<128, 128, 6>, TileTimes{2200, 4850, 5600, 5600, 3400}>,
                    InStages<Bfloat16Tiles<64, 128, 8>, TileTimes{2300, 2450, 3900, 4000, 2800}>,
                    InStages<Bfloat16Tiles<64, 64, 8>, TileTimes{1600, 1800, 3200, 3500, 1900}>,
                    InBlocks<MmaTiles<Bfloat16s, 32, 32, 64, 16, 16, 4, 4>,
                             TileTimes{950, 600, 2000, 4900, 1600}, TileTimes{2800, 700, 6500, 8050, 1400}>> {
  static constexpr std::string_view idea =
      "tensor cores: a warp copies tiles by TMA, one or two groups of four warps multiply 64 x 64 to 64 x "
      "256 elements each by wgmma, blocks stay for all their tiles, as the recursion halves C, or a "
      "cluster's blocks have parts of k; rows of no whole 16 bytes are copied first; short products by "
      "mma.sync from rows as they are; applies tiling, coalescing";
  static constexpr std::string_view source =
      "M7: A cache-oblivious matrix multiplication algorithm, on the GPU; CUTLASS";
};

}  // namespace tallcache::gpu::matmul
