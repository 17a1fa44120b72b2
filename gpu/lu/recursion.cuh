// The decomposition with partial pivoting as a sequence of kernels.
#pragma once

#include "common/ops/lu.hpp"
#include "gpu/lu/panel.cuh"
#include "gpu/lu/strip_bytes.hpp"
#include "gpu/lu/strips.cuh"
#include "gpu/lu/subtract_product.cuh"
#include "gpu/lu/tall_column.cuh"
#include "gpu/side_stream.cuh"
#include "gpu/tuning/tuned.hpp"

namespace tallcache::gpu::lu {

/// Blocks of columns from left to right, each by Toledo's recursion: the left half, the exchanges and the
/// triangular system of the right half, the product, the right half. A panel's kernel exchanges the rows left
/// of it within the block of columns: the next kernel reads those as a triangle.
template <class T, Products products = Products::standard>
class Recursion {
 public:
  /// The bytes of scratch for m x n.
  static std::size_t scratch(Index m, Index n) {
    return scratch_bytes({max_lists(m, n) * sizeof(ExchangeList), max_column_blocks * sizeof(ColumnBest<T>)});
  }

  Recursion(const Launch& launch, const MatrixView<T>& matrix, std::int32_t* exchanges_of_rows,
            Scratch<> scratch)
      : stream(stream_of(launch)),
        a(matrix),
        exchanges(exchanges_of_rows),
        lists(reinterpret_cast<ExchangeList*>(
            scratch.template vector<std::byte>(max_lists(a.rows, a.cols) * sizeof(ExchangeList)).data)),
        found(reinterpret_cast<ColumnBest<T>*>(
            scratch.template vector<std::byte>(max_column_blocks * sizeof(ColumnBest<T>)).data)) {}

  /// The columns of a block that suit a matrix: wide blocks for fast products, narrow ones while panels are
  /// most of the time, and those of one panel where launches are (TUNING.md).
  static int suitable_block(Index m, Index n) {
    constexpr Index one_panel_side = 2048;
    if (std::max(m, n) <= one_panel_side) return 32;
    const Index steps = std::min(m, n);
    const Tuning& tuning = device_tuning();
    if (steps <= by_element<T>(tuning.lu_narrow_steps_double, tuning.lu_narrow_steps_float)) return 64;
    const int middle = by_element<T>(tuning.lu_middle_steps_double, tuning.lu_middle_steps_float);
    return steps <= middle ? 128 : tuning.lu_wide_block;
  }

  /// Where a matrix is large, the next block of columns is brought up to date first, and factored beside the
  /// product of the columns behind it.
  void factor(int block) {
    const int steps = static_cast<int>(std::min(a.rows, a.cols)), cols = static_cast<int>(a.cols);
    const Index ahead_steps = device_tuning().factor_ahead_steps;
    const SideStream streams(stream, a.rows * a.cols > ahead_steps * ahead_steps);
    for (int col = 0, width; col < steps; col += width) {
      width = std::min(block, steps - col);
      const int first_list = next_list, next = col + width;
      const int ahead = streams.side == streams.main ? next : std::min(next + block, steps);
      start = col;
      stream = streams.side;
      factor_panel_at(col, width);
      streams.main_waits();
      const StripGroup left{0, col, first_list, next_list};
      const auto right = [&](int begin, int end) {
        return StripGroup{begin, end, first_list, next_list, col, width};
      };
      if (ahead > next) {
        streams.side_waits();  // for the product before
        move_strips_of({{right(next, ahead), {}}});
        subtract(col, width, next, ahead);
      }
      stream = streams.main;
      move_strips_of({{left, right(ahead, cols)}});
      subtract(col, width, ahead, cols);
      streams.main_is_done();
    }
  }

 private:
  static constexpr int max_cluster = 16;

  /// The most rows of a panel of so many columns.
  static constexpr Index max_rows(int columns) {
    const int of_thread = max_rows_of_thread<T>(columns);
    return Index{max_cluster} * max_panel_threads<T>(columns, of_thread) * of_thread;
  }
  /// A panel of fewer columns where a cluster has no room for more of so many rows.
  static int leaf_width(Index rows) {
    for (int columns = 32; columns * sizeof(T) >= 32; columns /= 2)
      if (rows <= max_rows(columns)) return columns;
    return 1;
  }
  static Index max_lists(Index m, Index n) {
    // A panel of any width ends with a narrower one.
    return std::min(m, n) / leaf_width(m) * 2 + 64;
  }

  void move_strips_of(const StripGroups& groups) {
    const auto strips_of = [](const StripGroup& group) { return ceil_div(group.end - group.begin, strip); };
    const int strips = strips_of(groups.at[0]) + strips_of(groups.at[1]);
    const int width = std::max(groups.at[0].width, groups.at[1].width);
    const std::size_t shared = strip_bytes(width, sizeof(T));
    if (strips > 0)
      launch_chained<move_strips<T>>(stream, {grid_of(strips), 32 * strip_warps, shared}, a.data, a.ld, lists,
                                     groups);
  }

  /// What columns [col, col + width) mean for columns [begin, end) behind them.
  void subtract(int col, int width, int begin, int end) {
    const Index row = col + width, rows = a.rows - row, cols = end - begin;
    if (rows <= 0 || cols <= 0) return;
    const MatrixView<const T> constant = a;
    subtract_product<T, products>(stream, a.block(row, begin, rows, cols),
                                  constant.block(row, col, rows, width),
                                  constant.block(col, begin, width, cols));
  }

  void factor_panel_at(int col, int width) {
    const int leaf = leaf_width(a.rows - col);
    if (width <= leaf) return factor_leaf(col, width);
    const int half = ceil_div(ceil_div(width, leaf), 2) * leaf, first_list = next_list;
    factor_panel_at(col, half);
    move_strips_of({{{col + half, col + width, first_list, next_list, col, half}, {}}});
    subtract(col, half, col + half, col + width);
    factor_panel_at(col + half, width - half);
  }

  void factor_leaf(int col, int width) {
    T* const first = a.data + col * a.ld + col;
    const int rows = static_cast<int>(a.rows) - col;
    ExchangeList* const list = lists + next_list++;
    switch (leaf_width(rows)) {
      case 32:
        if (rows <= max_cluster * max_panel_threads<T>(32, 1))
          return factor_in_cluster<32, 1>(first, rows, width, col, list);
        if (rows <= 2 * max_cluster * max_panel_threads<T>(32, 2))
          return factor_in_cluster<32, 2>(first, rows, width, col, list);
        return factor_in_cluster<32>(first, rows, width, col, list);
      case 16:
        return factor_in_cluster<16>(first, rows, width, col, list);
      case 8:
        return factor_in_cluster<8>(first, rows, width, col, list);
      case 4:
        if constexpr (sizeof(T) == 8) return factor_in_cluster<4>(first, rows, width, col, list);
      default:
        return factor_column(first, rows, col, list);
    }
  }
  template <int columns, int of_thread = max_rows_of_thread<T>(columns)>
  void factor_in_cluster(T* first, int rows, int width, int col, ExchangeList* list) {
    const int all_threads = ceil_div(rows, 32 * of_thread) * 32, blocks = panel_blocks(all_threads);
    const unsigned threads = static_cast<unsigned>(ceil_div(ceil_div(all_threads, blocks), 32)) * 32;
    launch_chained<factor_panel<T, columns, of_thread>>(
        stream,
        {static_cast<unsigned>(blocks), threads,
         PanelKernel<T, columns, of_thread>::shared_bytes(static_cast<int>(threads)),
         static_cast<unsigned>(blocks)},
        first, a.ld, rows, width, exchanges + col, col, list, col - start);
  }
  /// A block alone exchanges no messages; beyond, few threads a block are the fastest (TUNING.md).
  static int panel_blocks(int threads) {
    const Tuning& tuning = device_tuning();
    if (threads <= by_element<T>(tuning.lu_alone_threads_double, tuning.lu_alone_threads_float)) return 1;
    return threads <= tuning.lu_small_cluster_threads ? 8 : 16;
  }

  void factor_column(T* first, int rows, int col, ExchangeList* list) {
    const int blocks = std::min(ceil_div(rows, column_threads), max_column_blocks);
    const ChainedShape shape{static_cast<unsigned>(blocks), column_threads};
    launch_chained<find_pivot<T>>(stream, shape, first, a.ld, rows, found);
    launch_chained<divide_column<T>>(stream, shape, first, a.ld, rows, found, blocks, exchanges + col, col,
                                     list);
    const int number = static_cast<int>(list - lists);
    move_strips_of({{{start, col, number, number + 1}, {}}});
  }

  cudaStream_t stream;
  MatrixView<T> a;
  std::int32_t* exchanges;
  ExchangeList* lists;
  ColumnBest<T>* found;
  int next_list = 0, start = 0;  ///< start: of the block of columns
};

}  // namespace tallcache::gpu::lu
