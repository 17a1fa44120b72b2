#include "ranks/distribution.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <string>
#include <tuple>

#include "common/ceil_div.hpp"
#include "common/fork/fork.hpp"

namespace tallcache::ranks {

/// Makes a distribution from its cells.
class Builder {
 public:
  Builder(Index rows, Index cols, Index ranks) {
    if (rows < 1 || cols < 1) throw Error("sizes: a matrix of no elements has no distribution");
    made_.rows_ = rows;
    made_.cols_ = cols;
    made_.words_.assign(static_cast<std::size_t>(ranks), 0);
  }

  void cut(std::vector<Index> rows, std::vector<Index> cols) {
    made_.row_cuts_ = std::move(rows);
    made_.col_cuts_ = std::move(cols);
  }

  /// The cells by rows: cell(i, j) adds the rectangles of each.
  template <class Cell>
  Distribution build(const Cell& cell) {
    const std::size_t rows = made_.row_cuts_.size() - 1, cols = made_.col_cuts_.size() - 1;
    constexpr std::size_t most = std::size_t{1} << 24;
    if (rows * cols > most)
      throw Error("a distribution of " + std::to_string(rows) + " x " + std::to_string(cols) +
                  " blocks: choose larger blocks");
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < cols; ++j) {
        made_.first_.push_back(made_.rectangles_.size());
        const Index row = made_.row_cuts_[i], col = made_.col_cuts_[j];
        cell(Box{row, col, made_.row_cuts_[i + 1] - row, made_.col_cuts_[j + 1] - col}, static_cast<Index>(i),
             static_cast<Index>(j));
      }
    made_.first_.push_back(made_.rectangles_.size());
    return std::move(made_);
  }

  void add(const Rectangle& rectangle) {
    if (rectangle.box.size() > 0) made_.rectangles_.push_back(rectangle);
  }
  Index& words(Index rank) { return made_.words_[static_cast<std::size_t>(rank)]; }

 private:
  Distribution made_;
};

namespace {

std::vector<Index> equal_cuts(Index size, Index parts) {
  std::vector<Index> cuts;
  for (Index part = 0; part <= parts; ++part) cuts.push_back(block_begin(size, parts, part));
  return cuts;
}

std::vector<Index> blocks_of(Index size, Index block) {
  std::vector<Index> cuts;
  for (Index at = 0; at < size; at += block) cuts.push_back(at);
  cuts.push_back(size);
  return cuts;
}

void require_rows(Index size, Index parts, const char* what) {
  if (parts > size)
    throw Error("more ranks than rows: " + std::to_string(parts) + " ranks along " + std::to_string(size) +
                " " + what);
}

// The numbers of a name's grid: "4x8x64".
std::vector<Index> numbers_of(std::string_view text, std::string_view name) {
  std::vector<Index> numbers;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (true) {
    Index value = 0;
    const auto [next, fault] = std::from_chars(at, end, value);
    // The products of two of them are sizes, too.
    if (fault != std::errc{} || value < 1 || value > std::numeric_limits<std::int32_t>::max() ||
        (next != end && *next != 'x'))
      throw Error("layout '" + std::string(name) + "': its grid is no list of numbers such as 4x8");
    numbers.push_back(value);
    if (next == end) return numbers;
    at = next + 1;
  }
}

// A stretch of a box as rectangles: the end of a row, whole rows, the beginning of a row.
void add_stretch(Builder& builder, const Piece& piece, Index rank) {
  const Index cols = piece.box.cols, end = piece.stretch.begin + piece.stretch.size;
  for (Index at = piece.stretch.begin; at < end;) {
    const Index row = at / cols, col = at % cols;
    const bool whole = col == 0 && end - at >= cols;
    const Index rows = whole ? (end - at) / cols : 1, width = whole ? cols : std::min(cols - col, end - at);
    builder.add({{piece.box.row + row, piece.box.col + col, rows, width},
                 piece.offset + at - piece.stretch.begin,
                 cols,
                 1,
                 rank});
    at += rows * width;
  }
}

}  // namespace

Rectangle clip(const Rectangle& whole, const Box& box) {
  Rectangle part = whole;
  part.offset += (box.row - whole.box.row) * whole.row_stride + (box.col - whole.box.col) * whole.col_stride;
  part.box = box;
  return part;
}

std::size_t Distribution::cell_of(const std::vector<Index>& cuts, Index at) {
  return static_cast<std::size_t>(std::ranges::upper_bound(cuts, at) - cuts.begin()) - 1;
}

Distribution Distribution::transposed() const {
  Builder builder(cols_, rows_, ranks());
  builder.cut(col_cuts_, row_cuts_);
  for (Index rank = 0; rank < ranks(); ++rank) builder.words(rank) = words(rank);
  const std::size_t columns = col_cuts_.size() - 1;
  return builder.build([&](const Box&, Index i, Index j) {
    const std::size_t cell = static_cast<std::size_t>(j) * columns + static_cast<std::size_t>(i);
    for (std::size_t r = first_[cell]; r < first_[cell + 1]; ++r) {
      Rectangle turned = rectangles_[r];
      turned.box = {turned.box.col, turned.box.row, turned.box.cols, turned.box.rows};
      std::swap(turned.row_stride, turned.col_stride);
      builder.add(turned);
    }
  });
}

Distribution blocks(Index rows, Index cols, Index grid_rows, Index grid_cols) {
  require_rows(rows, grid_rows, "rows");
  require_rows(cols, grid_cols, "columns");
  Builder builder(rows, cols, grid_rows * grid_cols);
  builder.cut(equal_cuts(rows, grid_rows), equal_cuts(cols, grid_cols));
  return builder.build([&](const Box& box, Index i, Index j) {
    const Index rank = i * grid_cols + j;
    builder.words(rank) = box.size();
    builder.add({box, 0, box.cols, 1, rank});
  });
}

Distribution row_blocks(Index rows, Index cols, Index ranks) { return blocks(rows, cols, ranks, 1); }
Distribution column_blocks(Index rows, Index cols, Index ranks) { return blocks(rows, cols, 1, ranks); }

Index local_size(Index size, Index block, Index place, Index first, Index places) {
  const Index distance = (place - first + places) % places, whole = size / block;
  return whole / places * block + (distance < whole % places    ? block
                                   : distance == whole % places ? size % block
                                                                : 0);
}

Distribution block_cyclic(const BlockCyclic& d, Index ranks) {
  if (d.grid_rows * d.grid_cols > ranks)
    throw Error("a grid of " + std::to_string(d.grid_rows) + " x " + std::to_string(d.grid_cols) + " on " +
                std::to_string(ranks) + " ranks");
  Builder builder(d.rows, d.cols, ranks);
  builder.cut(blocks_of(d.rows, d.row_block), blocks_of(d.cols, d.col_block));
  return builder.build([&](const Box& box, Index i, Index j) {
    const Index row = (i + d.first_row) % d.grid_rows, col = (j + d.first_col) % d.grid_cols;
    const Index rank = d.by_columns ? col * d.grid_rows + row : row * d.grid_cols + col;
    const Index ld = std::max<Index>(1, local_size(d.rows, d.row_block, row, d.first_row, d.grid_rows));
    const Index at_row = i / d.grid_rows * d.row_block, at_col = j / d.grid_cols * d.col_block;
    builder.words(rank) = ld * local_size(d.cols, d.col_block, col, d.first_col, d.grid_cols);
    builder.add({box, at_row + at_col * ld, 1, ld, rank});
  });
}

Distribution recursive_layout(const Plan& plan, std::size_t v, Index ranks) {
  const Matrix& matrix = plan.matrices()[v];
  Builder builder(matrix.rows, matrix.cols, ranks);
  std::vector<std::vector<Piece>> pieces;
  std::vector<Index> rows{matrix.rows}, cols{matrix.cols};
  for (Index rank = 0; rank < plan.ranks(); ++rank) {
    pieces.push_back(plan.pieces(v, rank));
    builder.words(rank) = plan.owned(v, rank);
    for (const Piece& piece : pieces.back()) {
      rows.push_back(piece.box.row);
      cols.push_back(piece.box.col);
    }
  }
  for (std::vector<Index>* cuts : {&rows, &cols}) {
    std::ranges::sort(*cuts);
    cuts->erase(std::unique(cuts->begin(), cuts->end()), cuts->end());
  }
  // The pieces by the first element of their boxes, which are the cells.
  std::vector<std::tuple<Index, Index, Index, std::size_t>> order;
  for (std::size_t rank = 0; rank < pieces.size(); ++rank)
    for (std::size_t piece = 0; piece < pieces[rank].size(); ++piece)
      order.emplace_back(pieces[rank][piece].box.row, pieces[rank][piece].box.col, static_cast<Index>(rank),
                         piece);
  std::ranges::sort(order);
  builder.cut(std::move(rows), std::move(cols));
  auto next = order.begin();
  return builder.build([&](const Box& box, Index, Index) {
    for (; next != order.end() && std::get<0>(*next) == box.row && std::get<1>(*next) == box.col; ++next)
      add_stretch(builder, pieces[static_cast<std::size_t>(std::get<2>(*next))][std::get<3>(*next)],
                  std::get<2>(*next));
  });
}

std::pair<Index, Index> square_grid(Index ranks) {
  Index rows = 1;
  for (Index p = 1; p * p <= ranks; ++p)
    if (ranks % p == 0) rows = p;
  return {rows, ranks / rows};
}

Distribution named_distribution(std::string_view name, Index rows, Index cols, Index ranks) {
  const std::size_t colon = name.find(':');
  const std::string_view kind = name.substr(0, colon);
  if (kind == "rows" && colon == name.npos) return row_blocks(rows, cols, ranks);
  if (kind == "columns" && colon == name.npos) return column_blocks(rows, cols, ranks);
  if (kind != "blocks" && kind != "cyclic")
    throw Error("layout '" + std::string(name) + "' is none of rows, columns, blocks, cyclic, recursive");
  auto [grid_rows, grid_cols] = square_grid(ranks);
  Index block = 64;
  if (colon != name.npos) {
    const std::vector<Index> numbers = numbers_of(name.substr(colon + 1), name);
    const bool cyclic = kind == "cyclic";
    if (numbers.size() < 2 || numbers.size() > (cyclic ? 3u : 2u))
      throw Error("layout '" + std::string(name) + "': its grid is not such as 4x8");
    grid_rows = numbers[0], grid_cols = numbers[1];
    if (numbers.size() == 3) block = numbers[2];
    if (grid_rows * grid_cols != ranks)
      throw Error("layout '" + std::string(name) + "': a grid of " + std::to_string(grid_rows * grid_cols) +
                  " ranks on " + std::to_string(ranks));
  }
  if (kind == "blocks") return blocks(rows, cols, grid_rows, grid_cols);
  return block_cyclic({.rows = rows,
                       .cols = cols,
                       .row_block = block,
                       .col_block = block,
                       .grid_rows = grid_rows,
                       .grid_cols = grid_cols},
                      ranks);
}

}  // namespace tallcache::ranks
