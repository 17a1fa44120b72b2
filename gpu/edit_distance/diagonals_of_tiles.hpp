// The plain tableau: a launch for each anti-diagonal of tiles, a block for each tile.
#pragma once

#include "common/ops/string_distance.hpp"
#include "gpu/edit_distance/cell_tiles.hpp"

namespace tallcache::gpu::edit_distance {

/// The topmost row and the leftmost column of the whole tableau.
struct FillEdges {
  template <class Thread, class Out>
  TALLCACHE_DEVICE void operator()(const Thread& t, Out out) const {
    const Index i = Index{t.block().x} * t.block_dim().x + t.thread().x;
    if (i < out.rows) out(i, 0) = CellRule<false>::edge(i);
    if (i < out.cols) out(0, i) = CellRule<false>::edge(i);
  }
};

/// A tile of the whole tableau. Its borders are cells of those before it.
struct FillTableauTile {
  template <class Thread, class Out, class Letters>
  TALLCACHE_DEVICE void operator()(const Thread& t, Out out, Letters a, Letters b, Index diagonal,
                                   Index first) const {
    auto&& cells = shared<0, TileCells>(t);
    const TilePlace place(t, diagonal, first);
    const Index row = place.row * tile_side, col = place.col * tile_side;
    const int i = t.thread().x;
    if (row + i < out.rows) cells[i][0] = out(row + i, col);
    if (i == 0 && row + tile_side < out.rows) cells[tile_side][0] = out(row + tile_side, col);
    if (col + i + 1 < out.cols) cells[0][i + 1] = out(row, col + i + 1);
    fill_tile<CellRule<false>>(t, cells, a, b, row, col);
    for (int r = 0; r < tile_side; ++r)
      if (row + r + 1 < out.rows && col + i + 1 < out.cols)
        out(row + r + 1, col + i + 1) = cells[r + 1][i + 1];
  }
};

/// A tile of which the last row and the last column are kept, in place of those of the tiles before it. The
/// cell before both borders of a tile is the last one of the tile two anti-diagonals ago: `corners` has three
/// anti-diagonals of `cols` cells.
template <bool common>
struct FillBorderTile {
  template <class Thread, class Out, class Letters, class Cells>
  TALLCACHE_DEVICE void operator()(const Thread& t, Out out, Letters a, Letters b, Cells row_cells,
                                   Cells column_cells, Cells corners, Index diagonal, Index first) const {
    using Rule = CellRule<common>;
    auto&& cells = shared<0, TileCells>(t);
    const TilePlace place(t, diagonal, first);
    const Index row = place.row * tile_side, col = place.col * tile_side, cols = corners.size / 3;
    const int i = t.thread().x;
    if (row + i < a.size)
      cells[i + 1][0] = place.col ? std::int32_t{column_cells[row + i]} : Rule::edge(row + i + 1);
    if (col + i < b.size)
      cells[0][i + 1] = place.row ? std::int32_t{row_cells[col + i]} : Rule::edge(col + i + 1);
    if (i == 0)
      cells[0][0] = place.row && place.col ? std::int32_t{corners[(diagonal + 1) % 3 * cols + place.col - 1]}
                                           : Rule::edge(row + col);
    fill_tile<Rule>(t, cells, a, b, row, col);
    const int rows = a.size - row < tile_side ? static_cast<int>(a.size - row) : tile_side,
              width = b.size - col < tile_side ? static_cast<int>(b.size - col) : tile_side;
    if (i < width) row_cells[col + i] = cells[rows][i + 1];
    if (i < rows) column_cells[row + i] = cells[i + 1][width];
    if (i == 0) {
      corners[diagonal % 3 * cols + place.col] = cells[rows][width];
      if (row + rows == a.size && col + width == b.size) out[0] = cells[rows][width];
    }
  }
};

/// The value of a tableau that is an edge.
template <bool common>
struct StoreEdge {
  template <class Thread, class Out>
  TALLCACHE_DEVICE void operator()(const Thread&, Out out, Index i) const {
    out[0] = CellRule<common>::edge(i);
  }
};

struct diagonals_of_tiles : OnGpu {
  static constexpr std::string_view idea =
      "a launch for each anti-diagonal of tiles, a block a tile, which it fills in shared memory; applies "
      "tiling";
  static constexpr std::string_view source = "M11: tableau construction; Wagner and Fischer 1974";
  using operations = OperationList<EditDistance, LevenshteinDistance, LongestCommonSubsequence>;

  template <class Device = const Launch, class Op>
  static std::size_t scratch(Op, const Shape& shape, const Params&) {
    if constexpr (std::is_same_v<Op, EditDistance>) return 0;
    constexpr std::size_t cell = sizeof(std::int32_t);
    return scratch_bytes({checked_product(shape["n"], cell, "row"),
                          checked_product(shape["m"], cell, "column"),
                          checked_product(3 * ceil_div(shape["n"], tile_side), cell, "corners")});
  }

  template <class Device, class Args>
  static void call(Device& device, const Args& args, const Params&) {
    const TileDiagonals diagonals(args.a.size, args.b.size);
    if constexpr (requires { args.out.rows; })
      whole(device, args, diagonals);
    else
      borders(device, args, diagonals);
  }

 private:
  template <class Device, class Args>
  static void whole(Device& device, const Args& args, const TileDiagonals& diagonals) {
    constexpr int threads = 256;
    const Index longest = std::max(args.out.rows, args.out.cols);
    launch_kernel(device, FillEdges{}, {{grid_of(ceil_div(longest, threads))}, {threads}}, args.out);
    diagonals.each([&](Index diagonal, Index first, Index tiles) {
      launch_kernel(device, FillTableauTile{}, {{grid_of(tiles)}, {tile_side}}, args.out, args.a, args.b,
                    diagonal, first);
    });
  }

  template <class Device, class Args>
  static void borders(Device& device, const Args& args, const TileDiagonals& diagonals) {
    constexpr bool common = Args::Of::is_common_subsequence;
    auto scratch = args.scratch;
    const auto row = scratch.template vector<std::int32_t>(args.b.size),
               column = scratch.template vector<std::int32_t>(args.a.size),
               corners = scratch.template vector<std::int32_t>(3 * diagonals.cols);
    if (diagonals.rows == 0 || diagonals.cols == 0)
      launch_kernel(device, StoreEdge<common>{}, {{1}, {1}}, args.out, args.a.size + args.b.size);
    diagonals.each([&](Index diagonal, Index first, Index tiles) {
      launch_kernel(device, FillBorderTile<common>{}, {{grid_of(tiles)}, {tile_side}}, args.out, args.a,
                    args.b, row, column, corners, diagonal, first);
    });
  }
};

}  // namespace tallcache::gpu::edit_distance
