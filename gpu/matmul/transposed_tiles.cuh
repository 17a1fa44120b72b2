// C^T = B^T A^T on Hopper's tensor cores. TF32 instructions read both factors along k, and the second from
// shared memory. A's rows lie along k: A^T is the second factor. B's do not: B^T passes through registers.
#pragma once

#include "common/view.hpp"
#include "gpu/matmul/warp_roles.cuh"
#include "gpu/matmul/warpgroup_tf32.cuh"

namespace tallcache::gpu::matmul {

/// A tile of C of tile_rows x 128; two warpgroups have 64 of its columns each. A warp has 16, which are the
/// columns of a box of B.
template <int tile_rows, int number_of_stages>
struct TransposedTiles {
  static constexpr int rows = tile_rows, cols = 128, depth = 32, stages = number_of_stages;
  static constexpr int groups = 2, threads = 128 * (groups + 1);
  static constexpr int box_cols =
      16;  // 64 bytes: with their swizzle, a warp's loads of 8 bytes use all banks
  static constexpr int box_bytes = box_cols * 4 * depth;
  static constexpr int a_bytes = rows * depth * 4, b_bytes = cols * depth * 4;
  static constexpr int shared_bytes = 1024 + stages * (a_bytes + b_bytes);
};

/// The two neighbouring columns of B and C that a thread of a warpgroup has in its rows g = lane / 4 and g +
/// 8 of the instruction.
struct ColumnPair {
  int col;       ///< the first one, in the tile
  int place[2];  ///< the bytes at which steps lane % 4 and lane % 4 + 4 of it lie in the tile of B

  template <class Tiles>
  static __device__ ColumnPair of(Tiles) {
    const int warp = threadIdx.x / 32 - 4, lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
    // Bits 1 and 2 of g change places, so that lanes 0 to 15 use every second 16 bytes of a row.
    const int pair = (g & 1) | (g & 2) << 1 | (g & 4) >> 1;
    ColumnPair columns{warp * Tiles::box_cols + 2 * pair, {}};
    for (int half = 0; half < 2; ++half) {
      const int row = t + 4 * half;
      columns.place[half] = warp * Tiles::box_bytes + row * 64 + ((pair / 2) ^ (row / 2)) * 16 + pair % 2 * 8;
    }
    return columns;
  }

  /// A thread's factors of steps [8 l, 8 l + 8) of `tile`.
  __device__ void load(float (&factors)[4], const unsigned char* tile, int l) const {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const auto two = *reinterpret_cast<const float2*>(tile + place[half] + l * 8 * 64);
      factors[2 * half] = two.x;
      factors[2 * half + 1] = two.y;
    }
  }
};

/// Stores the sums of a thread: columns col and col + 1 of a tile that begins in `row`. Where `pairs`, both
/// at once.
template <int sums>
__device__ void store_transposed(const MatrixView<float>& c, const float (&sum)[sums], int row, int col,
                                 bool pairs) {
#pragma unroll
  for (int j = 0; j < sums / 4; ++j)
#pragma unroll
    for (int e = 0; e < 2; ++e) {
      const int i = row + 8 * j + threadIdx.x % 4 * 2 + e;
      if (i >= c.rows) continue;
      float* const to = c.data + i * c.ld + col;
      const float x = sum[4 * j + e], y = sum[4 * j + 2 + e];
      if (pairs && col + 1 < c.cols) {
        *reinterpret_cast<float2*>(to) = {x, y};
      } else {
        if (col < c.cols) to[0] = x;
        if (col + 1 < c.cols) to[1] = y;
      }
    }
}

/// Two warpgroups multiply what has arrived. `steps` is even: the factors of every second step have registers
/// of their own, as the tensor cores read them until their products are done.
template <class Tiles>
__device__ void multiply_transposed_tiles(const SharedTiles<Tiles>& tiles, const MatrixView<float>& c,
                                          const TileOrder& order, int steps, bool pairs) {
  const auto columns = ColumnPair::of(Tiles{});
  float sum[Tiles::rows / 2];
  std::uint32_t factors[2][Tiles::depth / 8][4];
  Turn<Tiles::stages> turn;
  for (int tile = blockIdx.x; tile < order.tiles(); tile += gridDim.x) {
    TileOrder::At at{};
    int last = -1;
#pragma unroll 1
    for (int step = 0; step < steps; step += 2)
#pragma unroll
      for (int side = 0; side < 2; ++side, turn.next()) {
        tiles.full[turn.stage].wait(turn.parity);
#pragma unroll
        for (int l = 0; l < Tiles::depth / 8; ++l) {
          float exact[4];
          columns.load(exact, tiles.b(turn.stage), l);
#pragma unroll
          for (int e = 0; e < 4; ++e) factors[side][l][e] = to_tf32(exact[e]);
        }
        const std::uint32_t a = shared_address(tiles.a(turn.stage));
        begin_products();
#pragma unroll
        for (int l = 0; l < Tiles::depth / 8; ++l)
          multiply_tf32_by_four_warps(sum, factors[side][l], swizzled_tile(a + l * 32, 16, 1024),
                                      step | side | l);
        commit_products();
        if (side == 0 && step == 0) at = order.at(tile);
        wait_for_products<1>();
        if (last >= 0) give_back(tiles.empty[last]);
        last = turn.stage;
      }
    wait_for_products<0>();
    give_back(tiles.empty[last]);
    store_transposed(c, sum, at.row * Tiles::rows, at.col * Tiles::cols + columns.col, pairs);
  }
}

/// Each block does every gridDim.x-th tile. steps = ceil(k / depth), made even, > 0.
template <class Tiles>
__global__ void __launch_bounds__(Tiles::threads, 1)
    multiply_transposed(const __grid_constant__ Target target, const __grid_constant__ CUtensorMap a,
                        const __grid_constant__ CUtensorMap b, TileOrder order, int steps) {
  extern __shared__ unsigned char memory[];
  __shared__ Mbarrier full[Tiles::stages], empty[Tiles::stages];
  const SharedTiles<Tiles> tiles{memory + (1024 - shared_address(memory) % 1024) % 1024, full, empty};
  if (threadIdx.x == 0) {
    for (int s = 0; s < Tiles::stages; ++s) {
      full[s].init(1);
      empty[s].init(4 * Tiles::groups);
    }
    fence_barrier_init();
  }
  __syncthreads();
  if (threadIdx.x < 128) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 24;\n");
    if (threadIdx.x == 0) copy_tiles<Tiles>(tiles, a, b, order, steps);
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 240;\n");
    multiply_transposed_tiles<Tiles>(tiles, target.c, order, steps, target.pairs);
  }
}

}  // namespace tallcache::gpu::matmul
