// C^T = B^T A^T on Hopper's tensor cores. TF32 instructions read both factors along k, and the second from
// shared memory. A's rows lie along k: A^T is the second factor. B's do not: B^T passes through registers.
#pragma once

#include "common/view.hpp"
#include "gpu/matmul/mma_factors.cuh"
#include "gpu/matmul/warp_roles.cuh"

namespace tallcache::gpu::matmul {

/// A tile of C of `rows`; one or two warpgroups have 64 of its columns each. A warp has 16, which are the
/// columns of a box of B: 64 bytes, and with their swizzle a warp's loads of 8 bytes use all banks.
template <int rows, int cols, int stages, int behind = 0, bool splits_k = false>
using TransposedTiles = StagedTiles<float, rows, cols, 32, 16, stages, behind, cols / 64, splits_k>;

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

/// Of TF32. The factors of every second step have registers of their own, as the tensor cores read them until
/// their products are done.
template <class Tiles>
class Tf32Products : public StagedProducts {
 public:
  __device__ explicit Tf32Products(const SharedTiles<Tiles>&) : columns(ColumnPair::of(Tiles{})) {}

  template <class Release>
  __device__ __forceinline__ void add(const SharedTiles<Tiles>& tiles, const Turn<Tiles::stages>& turn,
                                      int step, int side, const Release&) {
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
      multiply_tf32_by_four_warps(sum, factors[side][l], swizzled_tile(a + l * 32, 16, 1024), step | l);
    commit_products();
  }

  __device__ void store(const Target& target, int, int row, int col) const {
    store_transposed(target.c, sum, row, col + columns.col, target.pairs);
  }

 private:
  ColumnPair columns;
  float sum[Tiles::rows / 2];
  std::uint32_t factors[2][Tiles::depth / 8][4];
};

}  // namespace tallcache::gpu::matmul
