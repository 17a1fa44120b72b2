// The product of tiles in shared memory. How a tile of B comes there depends on how B is stored.
#pragma once

#include "common/ops/matmul.hpp"
#include "gpu/tile.cuh"

namespace tallcache::gpu::matmul {

/// A row-major tile goes as it is. `in_tile(b_tile, l, j)` is element (l, j) of the tile.
template <class T, int tile>
struct StraightTile {
  using Storage = T[tile][tile];
  MatrixView<const T> b;

  /// The tile of B with first element (l, j), zero beyond B's edges; each thread brings one element.
  __device__ void load(Storage& b_tile, Index l, Index j) const {
    const int ty = threadIdx.y, tx = threadIdx.x;
    b_tile[ty][tx] = l + ty < b.rows && j + tx < b.cols ? b(l + ty, j + tx) : T{};
  }
};

/// C = A B. A block of tile x tile threads computes `factor` neighbouring tiles of a row of tiles of C, and
/// keeps the tile of A for all of them: 2 tile operations for each element of B that it reads, and 2 tile
/// factor for each of A.
template <int tile, int factor, class T, class TileOfB>
__global__ void __launch_bounds__(tile* tile)
    multiply_tiles(MatrixView<T> c, MatrixView<const T> a, TileOfB b, Tiling tiling) {
  __shared__ T a_tile[tile][tile];
  __shared__ typename TileOfB::Storage b_tile;
  const int ty = threadIdx.y, tx = threadIdx.x;
  const Tile first = tiling.origin();
  const Index i = first.row + ty;

  T sum[factor]{};
  for (Index l = 0; l < a.cols; l += tile) {
    a_tile[ty][tx] = i < a.rows && l + tx < a.cols ? a(i, l + tx) : T{};
#pragma unroll
    for (int f = 0; f < factor; ++f) {
      b.load(b_tile, l, first.col + f * tile);
      __syncthreads();
#pragma unroll
      for (int k = 0; k < tile; ++k) sum[f] += a_tile[ty][k] * b_tile[k][tx];
      __syncthreads();
    }
  }

#pragma unroll
  for (int f = 0; f < factor; ++f) {
    const Index j = first.col + f * tile + tx;
    if (i < c.rows && j < c.cols) c(i, j) = sum[f];
  }
}

template <int tile, int factor, class T, class TileOfB>
void multiply_tiles(const Launch& launch, MatrixView<T> c, MatrixView<const T> a, TileOfB b) {
  const Tiling tiling(c.rows, c.cols, tile, tile * factor);
  if (tiling.empty()) return;
  multiply_tiles<tile, factor><<<tiling.grid(), dim3(tile, tile), 0, stream_of(launch)>>>(c, a, b, tiling);
  check_launch();
}

}  // namespace tallcache::gpu::matmul
