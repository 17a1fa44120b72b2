// The order in which blocks take the tiles of B = A^T.
#pragma once

#include "gpu/tile.hpp"

namespace tallcache::gpu::transpose {

/// Strips of tiles along B's rows: the order of a recursion that halves B's rows before its columns. A strip
/// reads a few neighbouring columns of A. Where A's rows are 128 or 256 KiB apart those columns lie on a part of
/// the memory channels, so blocks take the tiles of two strips in turn, 8 KiB from each other in A's rows.
struct StripOrder {
  Tiling tiling;
  unsigned apart = 0;  ///< strips between two that go together, or 0

  template <class T>
  StripOrder(const Tiling& tiles_of_b, const MatrixView<const T>& a) : tiling(tiles_of_b) {
    const Index pitch = a.ld * Index{sizeof(T)};
    if (pitch == Index{128} << 10 || pitch == Index{256} << 10)
      apart = static_cast<unsigned>((Index{8} << 10) / (tiling.height * Index{sizeof(T)}));
  }

  /// The first element of this block's tile of B.
  __device__ Tile origin() const {
    const auto across = static_cast<unsigned>(tiling.across), down = static_cast<unsigned>(tiling.down);
    const unsigned group = 2 * apart;  // strips; those behind the last whole group go one by one
    unsigned block = blockIdx.x, strip = 0;
    if (apart) {
      const unsigned grouped = down / group * group;
      strip = min(block / (group * across) * group, grouped);
      block -= strip * across;
      if (strip < grouped) {
        strip += block % 2 * apart;
        block /= 2;
      }
    }
    strip += block / across;
    return {strip * tiling.height, block % across * tiling.width};
  }
};

}  // namespace tallcache::gpu::transpose
