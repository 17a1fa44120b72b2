// The product of bfloat16 matrices with float sums on Hopper's tensor cores: one warp of a block copies,
// eight multiply.
#pragma once

#include "common/view.hpp"
#include "gpu/matmul/block_order.hpp"
#include "gpu/matmul/staged_sums.cuh"
#include "gpu/matmul/warpgroup_product.cuh"
#include "gpu/tensor_copy.cuh"

namespace tallcache::gpu::matmul {

/// Two warpgroups have 64 rows of a tile of C each.
template <int tile_cols, int number_of_stages>
struct TensorTiles {
  static constexpr int rows = 128, cols = tile_cols, depth = 64, stages = number_of_stages;
  static constexpr int threads = 384;
  static constexpr int a_bytes = rows * depth * 2, b_bytes = cols * depth * 2;
  static constexpr int box_cols = 64;  // 128 bytes, TMA's longest swizzled row
  static constexpr int box_bytes = box_cols * depth * 2;
  static constexpr int factor_bytes = stages * (a_bytes + b_bytes);
  static constexpr int shared_bytes =
      1024 + factor_bytes + 8 * StagedSums::bytes_of_warp;  // tiles start at multiples of 1024
};

/// What arrives in shared memory: tiles of A and B.
template <class Tiles>
struct SharedTiles {
  unsigned char* memory;
  Mbarrier *full, *empty;

  __device__ unsigned char* a(int stage) const { return memory + stage * Tiles::a_bytes; }
  __device__ unsigned char* b(int stage) const {
    return memory + Tiles::stages * Tiles::a_bytes + stage * Tiles::b_bytes;
  }
};

/// Whether two neighbouring elements of C from an even column on can be stored at once.
inline bool pairs_of(const MatrixView<float>& c) {
  return c.ld % 2 == 0 && reinterpret_cast<std::uintptr_t>(c.data) % 8 == 0;
}

/// The stage in use and the parity of its barriers' phase.
template <int stages>
struct Turn {
  int stage = 0, parity = 0;
  __device__ void next() {
    if (++stage == stages) {
      stage = 0;
      parity ^= 1;
    }
  }
};

/// One thread copies the tiles of A and B of each step as soon as their place is free.
template <class Tiles>
__device__ void copy_tiles(const SharedTiles<Tiles>& tiles, const CUtensorMap& a, const CUtensorMap& b,
                           const TileOrder& order, int steps) {
  Turn<Tiles::stages> turn;
  for (int tile = blockIdx.x; tile < order.tiles(); tile += gridDim.x) {
    const auto at = order.at(tile);
    for (int step = 0; step < steps; ++step, turn.next()) {
      Mbarrier& full = tiles.full[turn.stage];
      tiles.empty[turn.stage].wait(turn.parity ^ 1);
      full.arrive_expecting(Tiles::a_bytes + Tiles::b_bytes);
      copy_box(tiles.a(turn.stage), a, at.row * Tiles::rows, step * Tiles::depth, full);
#pragma unroll
      for (int box = 0; box < Tiles::cols / Tiles::box_cols; ++box)
        copy_box(tiles.b(turn.stage) + box * Tiles::box_bytes, b, step * Tiles::depth,
                 at.col * Tiles::cols + box * Tiles::box_cols, full);
    }
  }
}

/// Stores a warpgroup's sums, of which the first is that of (row, col).
template <int sums>
__device__ void store_sums(const MatrixView<float>& c, const float (&sum)[sums], int row, int col,
                           bool pairs) {
  const int thread = threadIdx.x % 128;
  const int c0 = col + thread % 4 * 2;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int i = row + thread / 32 * 16 + thread % 32 / 4 + half * 8;
    if (i >= c.rows) continue;
    float* const to = c.data + i * c.ld;
#pragma unroll
    for (int j = 0; j < sums / 4; ++j) {
      const int at = c0 + 8 * j;
      const float x = sum[4 * j + 2 * half], y = sum[4 * j + 2 * half + 1];
      if (pairs && at + 1 < c.cols) {
        *reinterpret_cast<float2*>(to + at) = {x, y};
      } else {
        if (at < c.cols) to[at] = x;
        if (at + 1 < c.cols) to[at + 1] = y;
      }
    }
  }
}

/// A warp gives the place of a stage back: its lanes have read their part of it, and its products are done.
__device__ __forceinline__ void give_back(Mbarrier& empty) {
  __syncwarp();
  if (threadIdx.x % 32 == 0) empty.arrive();
}

/// Two warpgroups multiply what has arrived. A stage is given back when its products are done, one step late,
/// so that the tensor cores always have work; the place of the tile is computed beside the first products.
template <class Tiles>
__device__ void multiply_tiles(const SharedTiles<Tiles>& tiles, const Target& target, const TileOrder& order,
                               int steps) {
  const int group = threadIdx.x / 128 - 1, warp = threadIdx.x / 32 - 4;
  const StagedSums staged{tiles.memory + Tiles::factor_bytes + warp * StagedSums::bytes_of_warp};
  float sum[Tiles::cols / 2];
  Turn<Tiles::stages> turn;
  for (int tile = blockIdx.x; tile < order.tiles(); tile += gridDim.x) {
    TileOrder::At at{};
    int last = 0;
    for (int step = 0; step < steps; ++step, turn.next()) {
      tiles.full[turn.stage].wait(turn.parity);
      const std::uint32_t a = shared_address(tiles.a(turn.stage)) + group * 64 * 128;
      const std::uint32_t b = shared_address(tiles.b(turn.stage));
      begin_products();
#pragma unroll
      for (int l = 0; l < Tiles::depth / 16; ++l)
        multiply_tiles_of_four_warps(sum, swizzled_tile(a + l * 32, 16, 1024),
                                     swizzled_tile(b + l * 2048, Tiles::box_bytes, 1024), step | l);
      commit_products();
      if (step == 0) {
        at = order.at(tile);
      } else {
        wait_for_products<1>();
        give_back(tiles.empty[last]);
      }
      last = turn.stage;
    }
    wait_for_products<0>();
    give_back(tiles.empty[last]);
    const int row = at.row * Tiles::rows, col = at.col * Tiles::cols;
    if (target.by_boxes)
      staged.store(target.boxes, sum, row + warp * StagedSums::rows, col);
    else
      store_sums(target.c, sum, row + group * 64, col, target.pairs);
  }
  StagedSums::finish();
}

/// Each block does every gridDim.x-th tile. steps = ceil(k / depth) > 0.
template <class Tiles>
__global__ void __launch_bounds__(Tiles::threads, 1)
    multiply_by_specialised_warps(const __grid_constant__ Target target,
                                  const __grid_constant__ CUtensorMap a,
                                  const __grid_constant__ CUtensorMap b, TileOrder order, int steps) {
  extern __shared__ unsigned char memory[];
  __shared__ Mbarrier full[Tiles::stages], empty[Tiles::stages];
  const SharedTiles<Tiles> tiles{memory + (1024 - shared_address(memory) % 1024) % 1024, full, empty};
  if (threadIdx.x == 0) {
    for (int s = 0; s < Tiles::stages; ++s) {
      full[s].init(1);
      empty[s].init(8);  // the warps that multiply
    }
    fence_barrier_init();
  }
  __syncthreads();
  // A warpgroup that copies gives registers to those that multiply.
  if (threadIdx.x < 128) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 24;\n");
    if (threadIdx.x == 0) copy_tiles<Tiles>(tiles, a, b, order, steps);
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 240;\n");
    multiply_tiles<Tiles>(tiles, target, order, steps);
  }
}

}  // namespace tallcache::gpu::matmul
