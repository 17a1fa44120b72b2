// How the ranks hold a matrix among them: row blocks, column blocks, two-dimensional blocks, block-cyclic as
// ScaLAPACK's descriptor has it, or the recursion's own layout; each of them also transposed.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ranks/plan.hpp"

namespace tallcache::ranks {

/// A block of a matrix in a rank's memory: element (i, j) of the block is at offset + i row_stride + j
/// col_stride. One of the strides is 1.
struct Rectangle {
  Box box;
  Index offset = 0, row_stride = 0, col_stride = 1;
  Index rank = 0;
};

/// The elements of a rectangle that lie in `box`, which it contains.
Rectangle clip(const Rectangle&, const Box& box);

/// Every element of a rows x cols matrix is in one rectangle. The rectangles stand in a grid of cells.
class Distribution {
 public:
  Index rows() const { return rows_; }
  Index cols() const { return cols_; }
  Index ranks() const { return static_cast<Index>(words_.size()); }
  /// The elements of a rank's memory, with what lies between its columns.
  Index words(Index rank) const { return words_[static_cast<std::size_t>(rank)]; }
  std::span<const Rectangle> all() const { return rectangles_; }

  /// visit(rectangle) for what each rank holds of `box`.
  template <class Visit>
  void in(const Box& box, const Visit& visit) const;

  /// The same memory as the transpose.
  Distribution transposed() const;

 private:
  friend class Builder;
  Index rows_ = 0, cols_ = 0;
  std::vector<Index> row_cuts_{0}, col_cuts_{0};  ///< where the cells begin, and the end of the last
  std::vector<std::size_t> first_;                ///< rectangle of each cell, by rows, and the end
  std::vector<Rectangle> rectangles_;
  std::vector<Index> words_;

  static std::size_t cell_of(const std::vector<Index>& cuts, Index at);
};

/// ScaLAPACK's descriptor of a distributed matrix and its process grid. Local matrices are stored by columns.
struct BlockCyclic {
  Index rows = 0, cols = 0, row_block = 64, col_block = 64, first_row = 0,
        first_col = 0;  ///< M N MB NB RSRC CSRC
  Index grid_rows = 1, grid_cols = 1;
  bool by_columns = false;  ///< order of the ranks in the grid; ScaLAPACK's "Row" is false
};

/// numroc: the local size of a dimension.
Index local_size(Index size, Index block, Index place, Index first, Index places);

/// Blocks of about rows / ranks whole rows, one a rank.
Distribution row_blocks(Index rows, Index cols, Index ranks);
/// Blocks of about cols / ranks whole columns, one a rank.
Distribution column_blocks(Index rows, Index cols, Index ranks);
/// Blocks of a grid of grid_rows x grid_cols ranks, in the order of its rows.
Distribution blocks(Index rows, Index cols, Index grid_rows, Index grid_cols);
/// Blocks that go around the grid in both dimensions, as ScaLAPACK stores matrices. Ranks that the grid does
/// not have hold nothing.
Distribution block_cyclic(const BlockCyclic&, Index ranks);
/// Matrix `v` of a plan in the recursion's own layout. Ranks from plan.ranks() to `ranks` hold nothing.
Distribution recursive_layout(const Plan&, std::size_t v, Index ranks);

/// "rows", "columns", "blocks", "blocks:4x8", "cyclic:4x8x64": row and column blocks, a grid of blocks, and a
/// grid with the block of block-cyclic; without a grid it is the one nearest to a square. Throws Error on
/// other text, on a grid that is not of `ranks` ranks, and when there are more ranks along a dimension than
/// rows of it.
Distribution named_distribution(std::string_view name, Index rows, Index cols, Index ranks);

/// The factors of `ranks` that are nearest to each other, the smaller one first.
std::pair<Index, Index> square_grid(Index ranks);

template <class Visit>
void Distribution::in(const Box& box, const Visit& visit) const {
  if (box.size() == 0) return;
  const std::size_t columns = col_cuts_.size() - 1;
  for (std::size_t i = cell_of(row_cuts_, box.row);
       i + 1 < row_cuts_.size() && row_cuts_[i] < box.row + box.rows; ++i)
    for (std::size_t j = cell_of(col_cuts_, box.col);
         j + 1 < col_cuts_.size() && col_cuts_[j] < box.col + box.cols; ++j)
      for (std::size_t r = first_[i * columns + j]; r < first_[i * columns + j + 1]; ++r) {
        const Box& has = rectangles_[r].box;
        const Index row = std::max(has.row, box.row), col = std::max(has.col, box.col);
        const Index rows = std::min(has.row + has.rows, box.row + box.rows) - row;
        const Index cols = std::min(has.col + has.cols, box.col + box.cols) - col;
        if (rows > 0 && cols > 0) visit(clip(rectangles_[r], {row, col, rows, cols}));
      }
}

}  // namespace tallcache::ranks
