// The order in which blocks take the tiles of B = A^T.
#pragma once

#include <algorithm>
#include <cstdint>

#include "gpu/tile.hpp"

namespace tallcache::gpu::transpose {

/// Strips of tiles along B's rows: the order of a recursion that halves B's
/// rows before its columns. Some strips go together: blocks take a tile of each
/// in turn.
struct StripOrder {
  Tiling tiling;
  unsigned together = 1,
           apart = 1;  ///< the strips of a group and the distance between two of them
  unsigned before = 0,
           after = 0;  ///< the strips in groups: before, ..., after - 1

  explicit StripOrder(const Tiling& tiles_of_b) : tiling(tiles_of_b) {}

  /// A strip reads a few neighbouring columns of A. Where A's rows are 128 or
  /// 256 KiB apart those columns lie on a part of the memory channels, so two
  /// strips go together whose addresses in A differ by 8 KiB, and in that bit
  /// alone.
  template <class T, class Access>
  void spread_over_channels(const MatrixView<const T, Access>& a) {
    constexpr Index kibi = 1024, group = 16 * kibi;
    const Index pitch = a.ld * Index{sizeof(T)}, strip = tiling.height * Index{sizeof(T)};
    if (pitch != 128 * kibi && pitch != 256 * kibi) return;
    const auto start = static_cast<Index>(reinterpret_cast<std::uintptr_t>(a.data) % group);
    go_together(2, static_cast<unsigned>(group / strip / 2), (group - start) % group / strip);
  }

  /// Neighbouring strips read sectors of A in common. A long strip's are gone
  /// from the second-level cache when the next one comes, so four neighbours go
  /// together.
  void share_sectors(Index long_strip) {
    if (tiling.across * tiling.width > long_strip) go_together(4, 1, 0);
  }

  /// The first element of the tile of B of thread t's block.
  template <class Thread>
  TALLCACHE_DEVICE Tile origin(const Thread& t) const {
    const auto across = static_cast<unsigned>(tiling.across);
    unsigned block = t.block().x, strip = 0;
    if (block >= before * across && block < after * across) {
      const unsigned group = together * apart, in_groups = block - before * across;
      strip = before + in_groups / (group * across) * group + in_groups % together * apart;
      block = in_groups % (group * across) / together;
    }
    strip += block / across;
    return {strip * tiling.height, block % across * tiling.width};
  }

 private:
  void go_together(unsigned strips, unsigned distance, Index first) {
    together = strips;
    apart = distance;
    before = static_cast<unsigned>(std::min(tiling.down, first));
    after = static_cast<unsigned>(tiling.down - (tiling.down - before) % (together * apart));
  }
};

}  // namespace tallcache::gpu::transpose
