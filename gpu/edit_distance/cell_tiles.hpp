// Square tiles of a tableau of edit distances, or of lengths of common subsequences, cell by cell: a block
// fills a tile in shared memory along its anti-diagonals.
#pragma once

#include "gpu/on_gpu.hpp"

namespace tallcache::gpu::edit_distance {

/// A block has a thread for each row of a tile.
inline constexpr int tile_side = 32;

/// The cells of a tile, and the row above and the column before it. A row is padded so that the cells of an
/// anti-diagonal lie in different banks.
using TileCells = std::int32_t[tile_side + 1][tile_side + 2];

/// The recurrences of both operations (Wagner and Fischer 1974).
template <bool common>
struct CellRule {
  /// Cell i of the leftmost column, or of the topmost row.
  static constexpr std::int32_t edge(Index i) { return common ? 0 : static_cast<std::int32_t>(i); }

  static TALLCACHE_INLINE std::int32_t cell(std::int32_t above, std::int32_t before, std::int32_t diagonal,
                                            bool same) {
    if constexpr (common) return same ? diagonal + 1 : above > before ? above : before;
    const std::int32_t gap = (above < before ? above : before) + 1, letter = diagonal + !same;
    return gap < letter ? gap : letter;
  }
};

/// The place of a block's tile: that of the anti-diagonal `diagonal` of tiles whose row is behind `first` by
/// the block's number.
struct TilePlace {
  Index row, col;

  template <class Thread>
  TALLCACHE_DEVICE TilePlace(const Thread& t, Index diagonal, Index first)
      : row(first + t.block().x), col(diagonal - row) {}
};

/// The tiles of a tableau by anti-diagonals, each of which depends on those before it alone.
struct TileDiagonals {
  Index rows, cols;  ///< of tiles

  TileDiagonals(Index m, Index n) : rows(ceil_div(m, tile_side)), cols(ceil_div(n, tile_side)) {}

  /// Calls start(diagonal, row of its first tile, tiles).
  template <class Start>
  void each(Start start) const {
    if (rows == 0 || cols == 0) return;
    for (Index diagonal = 0; diagonal < rows + cols - 1; ++diagonal) {
      const Index first = std::max<Index>(0, diagonal - cols + 1), last = std::min(diagonal, rows - 1);
      start(diagonal, first, last - first + 1);
    }
  }
};

/// Fills the cells of a tile, whose row above and column before are there. `row` and `col` are the first
/// letters of the tile in both strings. Called by all threads of a block.
template <class Rule, class Thread, class Cells, class Letters>
TALLCACHE_DEVICE void fill_tile(const Thread& t, Cells&& cells, const Letters& a, const Letters& b, Index row,
                                Index col) {
  const int i = t.thread().x;
  const int letter = row + i < a.size ? static_cast<std::uint8_t>(a[row + i]) : 0;
  t.sync();
  for (int step = 0; step < 2 * tile_side - 1; ++step) {
    const int j = step - i;
    if (j >= 0 && j < tile_side && row + i < a.size && col + j < b.size)
      cells[i + 1][j + 1] = Rule::cell(cells[i][j + 1], cells[i + 1][j], cells[i][j],
                                       letter == static_cast<std::uint8_t>(b[col + j]));
    t.sync();
  }
}

}  // namespace tallcache::gpu::edit_distance
