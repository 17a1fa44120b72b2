// The product by tiles in shared memory. How a tile of B is loaded depends on how B is stored.
#pragma once

#include "common/ops/matmul.hpp"
#include "gpu/tile.hpp"

namespace tallcache::gpu::matmul {

/// A row-major tile is stored unchanged. `in_tile(b_tile, l, j)` is element (l, j) of the tile.
template <int tile, class View>
struct StraightTile {
  using T = typename View::value_type;
  using Storage = T[tile][tile];
  View b;

  /// Loads the tile of B with first element (l, j); it is zero beyond B's edges. Each thread loads
  /// one element.
  template <class Thread, class Memory>
  TALLCACHE_DEVICE void load(const Thread& t, Memory&& b_tile, Index l, Index j) const {
    const int ty = t.thread().y, tx = t.thread().x;
    b_tile[ty][tx] = l + ty < b.rows && j + tx < b.cols ? b(l + ty, j + tx) : T{};
  }
};

/// C = A B. A block of tile x tile threads computes `factor` neighbouring tiles of a row of tiles of C, and
/// keeps the tile of A for all of them: 2 tile operations for each element of B that it reads, and 2 tile
/// factor for each of A.
template <int tile, int factor>
struct MultiplyTiles {
  static constexpr int max_threads = tile * tile;

  template <class Thread, class C, class A, class TileOfB>
  TALLCACHE_DEVICE void operator()(const Thread& t, C c, A a, TileOfB b, Tiling tiling) const {
    using T = typename C::value_type;
    auto&& a_tile = shared<0, T[tile][tile]>(t);
    auto&& b_tile = shared<1, typename TileOfB::Storage>(t);
    const int ty = t.thread().y, tx = t.thread().x;
    const Tile first = tiling.origin(t);
    const Index i = first.row + ty;

    T sum[factor]{};
    for (Index l = 0; l < a.cols; l += tile) {
      a_tile[ty][tx] = i < a.rows && l + tx < a.cols ? a(i, l + tx) : T{};
#pragma unroll
      for (int f = 0; f < factor; ++f) {
        b.load(t, b_tile, l, first.col + f * tile);
        t.sync();
#pragma unroll
        for (int k = 0; k < tile; ++k) sum[f] += a_tile[ty][k] * b_tile[k][tx];
        t.sync();
      }
    }

#pragma unroll
    for (int f = 0; f < factor; ++f) {
      const Index j = first.col + f * tile + tx;
      if (i < c.rows && j < c.cols) c(i, j) = sum[f];
    }
  }
};

template <int tile, int factor, class Device, class C, class A, class TileOfB>
void multiply_tiles(Device& device, const C& c, const A& a, const TileOfB& b) {
  const Tiling tiling(c.rows, c.cols, tile, tile * factor);
  if (tiling.empty()) return;
  launch_kernel(device, MultiplyTiles<tile, factor>{}, {{tiling.grid()}, {tile, tile}}, c, a, b, tiling);
}

}  // namespace tallcache::gpu::matmul
