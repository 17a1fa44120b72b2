// How blocks map to tiles of a matrix.
#pragma once

#include "common/view.hpp"
#include "gpu/check.hpp"

namespace tallcache::gpu {

// Views are the kernels' arguments: host and device agree on their layout.
static_assert(sizeof(MatrixView<float>) == 32 && sizeof(VectorView<float>) == 16);

struct Tile {
  Index row, col;
};

/// Tiles of `height` x `width` elements that cover a matrix. A grid of them is laid out along x and numbered
/// row by row, as blockIdx.x + gridDim.x * blockIdx.y numbers a two-dimensional one: the order in which
/// blocks start is the same, and a matrix may have more than 65535 rows of tiles.
struct Tiling {
  Index height, width, down, across;

  constexpr Tiling(Index rows, Index cols, Index tile_height, Index tile_width)
      : height(tile_height),
        width(tile_width),
        down(blocks_of(rows, tile_height)),
        across(blocks_of(cols, tile_width)) {}

  bool empty() const { return down == 0 || across == 0; }
  unsigned grid() const { return grid_of(down * across); }

#ifdef __CUDACC__
  /// The position of this block's tile, in tiles.
  __device__ Tile tile() const {
    const unsigned row = blockIdx.x / static_cast<unsigned>(across);
    return {row, blockIdx.x - row * static_cast<unsigned>(across)};
  }
  /// The first element of this block's tile.
  __device__ Tile origin() const {
    const Tile t = tile();
    return {t.row * height, t.col * width};
  }
#endif
};

}  // namespace tallcache::gpu
