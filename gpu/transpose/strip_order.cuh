// The order in which blocks take the tiles of B = A^T.
#pragma once

#include <algorithm>
#include <cstdint>

#include "gpu/tile.hpp"

namespace tallcache::gpu::transpose {

/// Strips of tiles along B's rows: the order of a recursion that halves B's rows before its columns. A strip
/// reads a few neighbouring columns of A. Where A's rows are 128 or 256 KiB apart those columns lie on a part of
/// the memory channels, so blocks take the tiles of two strips in turn whose addresses in A differ by 8 KiB, and
/// in that bit alone.
struct StripOrder {
  Tiling tiling;
  unsigned apart = 0;              ///< strips between two that go together, or 0
  unsigned before = 0, after = 0;  ///< the strips that go together: before, ..., after - 1

  template <class T>
  StripOrder(const Tiling& tiles_of_b, const MatrixView<const T>& a) : tiling(tiles_of_b) {
    constexpr Index kibi = 1024, together = 16 * kibi;
    const Index pitch = a.ld * Index{sizeof(T)}, strip = tiling.height * Index{sizeof(T)};
    if (pitch != 128 * kibi && pitch != 256 * kibi) return;
    const auto start = static_cast<Index>(reinterpret_cast<std::uintptr_t>(a.data) % together);
    apart = static_cast<unsigned>(together / strip / 2);
    before = static_cast<unsigned>(std::min(tiling.down, (together - start) % together / strip));
    after = static_cast<unsigned>(tiling.down - (tiling.down - before) % (2 * apart));
  }

  /// The first element of this block's tile of B.
  __device__ Tile origin() const {
    const auto across = static_cast<unsigned>(tiling.across);
    unsigned block = blockIdx.x, strip = 0;
    if (block >= before * across && block < after * across) {
      const unsigned group = 2 * apart, in_groups = block - before * across;
      strip = before + in_groups / (group * across) * group + in_groups % 2 * apart;
      block = in_groups % (group * across) / 2;
    }
    strip += block / across;
    return {strip * tiling.height, block % across * tiling.width};
  }
};

}  // namespace tallcache::gpu::transpose
