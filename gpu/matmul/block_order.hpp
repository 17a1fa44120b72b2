// The orders in which blocks take the tiles of C.
#pragma once

#include "common/ceil_div.hpp"
#include "common/halve.hpp"
#include "common/named.hpp"

namespace tallcache::gpu::matmul {

/// Blocks start in the order of their numbers, so that those of neighbouring numbers run at the same time and
/// share what they read in the second-level cache.
enum class BlockOrder : int {
  rows,       ///< a row of tiles behind the other
  groups,     ///< through `group` rows of tiles at once, column by column
  recursive,  ///< REC-MULT's: the longer side of C is halved, the first half comes first
  mirrored    ///< recursive, with every second half mirrored: the path has fewer jumps
};
inline constexpr Index block_orders[] = {0, 1, 2, 3};

/// The numbers of the tiles of C.
struct TileOrder {
  BlockOrder order;
  int down, across;        ///< tiles
  unsigned height, width;  ///< elements of a tile; C has less than 2^32 rows and columns
  int group = 16;          ///< rows of tiles

  /// A tile's place, in tiles.
  struct At {
    int row, col;
    friend constexpr bool operator==(const At&, const At&) = default;
  };

  constexpr int tiles() const { return down * across; }

  /// The place of tile number `index`, 0 <= index < tiles().
  constexpr At at(int index) const {
    if (order == BlockOrder::rows) return {index / across, index % across};
    return order == BlockOrder::groups ? in_groups(index) : by_halving(index);
  }

 private:
  constexpr At in_groups(int index) const {
    const int first = index / (group * across) * group;
    const int rows = down - first < group ? down - first : group;
    const int within = index - first * across;
    return {first + within % rows, within / rows};
  }

  // Without branches: blocks that stay for several tiles compute a place beside their products.
  constexpr At by_halving(int index) const {
    const bool mirrors = order == BlockOrder::mirrored;
    int row = 0, col = 0, rows = down, cols = across;
    bool rows_mirrored = false, cols_mirrored = false;
    while (const auto cut = halve<unsigned>({unsigned(rows), unsigned(cols)}, {height, width}, {1, 1})) {
      const bool halves_rows = cut.side == 0;
      const int length = halves_rows ? rows : cols, other = halves_rows ? cols : rows;
      const int half = static_cast<int>(cut.first);
      const bool back = halves_rows ? rows_mirrored : cols_mirrored;
      const int before = (back ? length - half : half) * other;  // tiles of the half that comes first
      const bool second = index >= before;
      index -= second ? before : 0;
      cols_mirrored ^= mirrors & second & halves_rows;
      rows_mirrored ^= mirrors & second & !halves_rows;
      const bool far = second != back;
      const int skipped = far ? half : 0, left = far ? length - half : half;
      row += halves_rows ? skipped : 0;
      col += halves_rows ? 0 : skipped;
      rows = halves_rows ? left : rows;
      cols = halves_rows ? cols : left;
    }
    return {row, col};
  }
};

/// The tiles of an m x n matrix C, numbered in `order`.
template <class Tiles>
constexpr TileOrder tiles_of(Index m, Index n, BlockOrder order) {
  return {order, static_cast<int>(ceil_div<Index>(m, Tiles::rows)),
          static_cast<int>(ceil_div<Index>(n, Tiles::cols)), Tiles::rows, Tiles::cols};
}
/// Those of a product of this shape.
template <class Tiles>
constexpr TileOrder tiles_of(const Shape& shape, BlockOrder order) {
  return tiles_of<Tiles>(shape["m"], shape["n"], order);
}

}  // namespace tallcache::gpu::matmul
