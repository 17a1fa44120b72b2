// The mapping of blocks to tiles of a matrix.
#pragma once

#include "common/view.hpp"
#include "gpu/on_gpu.hpp"

namespace tallcache::gpu {

struct Tile {
  Index row, col;
};

/// Tiles of `height` x `width` elements that cover a matrix. A grid of them is laid out along x and numbered
/// row by row, as blockIdx.x + gridDim.x * blockIdx.y numbers a two-dimensional one. Blocks start in the same
/// order, and a matrix may have more than 65535 rows of tiles.
struct Tiling {
  Index height, width, down, across;

  constexpr Tiling(Index rows, Index cols, Index tile_height, Index tile_width)
      : height(tile_height),
        width(tile_width),
        down(ceil_div(rows, tile_height)),
        across(ceil_div(cols, tile_width)) {}

  bool empty() const { return down == 0 || across == 0; }
  unsigned grid() const { return grid_of(down * across); }

  /// The position of the tile of thread t's block, in tiles.
  template <class Thread>
  TALLCACHE_DEVICE Tile tile(const Thread& t) const {
    const unsigned row = t.block().x / static_cast<unsigned>(across);
    return {row, t.block().x - row * static_cast<unsigned>(across)};
  }
  /// The first element of that tile.
  template <class Thread>
  TALLCACHE_DEVICE Tile origin(const Thread& t) const {
    const Tile at = tile(t);
    return {at.row * height, at.col * width};
  }
};

}  // namespace tallcache::gpu
