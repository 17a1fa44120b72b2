// Cholesky decomposition by Gustavson's recursion.
#pragma once

#include "common/ops/cholesky.hpp"
#include "gpu/cholesky/gustavson_panel.cuh"
#include "gpu/lu/block_columns.hpp"
#include "gpu/lu/subtract_product.cuh"
#include "gpu/on_gpu.hpp"
#include "gpu/side_stream.cuh"
#include "gpu/tuning/tuning.hpp"

namespace tallcache::gpu::cholesky {

/// Blocks of columns from left to right, each halved: the left half, the product of its rows with themselves,
/// the right half.
template <class T>
class Recursion {
 public:
  static constexpr int max_block = 256;

  static std::size_t scratch(Index n) {
    const std::size_t copy = scratch_bytes({max_block * row_size(n) * sizeof(T)});
    return scratch_bytes({n * panel_columns * sizeof(T)}) + (looks_ahead(n) ? 2 : 1) * copy;
  }

  Recursion(const Launch& launch, const MatrixView<T>& matrix, Scratch<> scratch)
      : stream(stream_of(launch)),
        a(matrix),
        corners(scratch.template vector<T>(matrix.rows * panel_columns).data) {
    for (int i = 0; i < (looks_ahead(a.rows) ? 2 : 1); ++i)
      copies[i] = scratch.template matrix<T>(max_block, row_size(a.rows));
  }

  /// Where a matrix is large, the next block of columns is brought up to date first, and factored beside the
  /// product of the columns behind it.
  void factor(int block) {
    const int n = static_cast<int>(a.rows);
    const SideStream streams(stream, looks_ahead(n));
    const bool apart = streams.side != streams.main;
    for (int turn = 0, width; start < n; start += width, turn = apart ? 1 - turn : 0) {
      width = std::min(block, n - start);
      const int next = start + width, ahead = apart ? std::min(next + block, n) : next;
      transposed = copies[turn];
      stream = streams.side;
      factor_panel_at(start, width);
      streams.main_waits();
      if (ahead > next) {
        streams.side_waits();  // for the product before
        subtract(start, width, next, ahead);
      }
      stream = streams.main;
      subtract(start, width, ahead, n);
      streams.main_is_done();
    }
    lu::launch_chained<store_corners<T>>(
        stream, {grid_of(std::min(ceil_div(n, 8), 8 * multiprocessors())), 256}, a, corners);
  }

 private:
  static bool looks_ahead(Index n) { return n > device_tuning().factor_ahead_steps; }

  /// Rows of the transposed copy start at multiples of 16 bytes.
  static Index row_size(Index n) { return ceil_div(n, Index{4}) * 4; }

  void factor_panel_at(int col, int width) {
    if (width <= panel_columns) return factor_leaf(col, width);
    const int half = ceil_div(ceil_div(width, panel_columns), 2) * panel_columns;
    factor_panel_at(col, half);
    subtract(col, half, col + half, col + width);
    factor_panel_at(col + half, width - half);
  }

  void factor_leaf(int col, int width) {
    const int rows = static_cast<int>(a.rows) - col;
    const std::size_t shared = (panel_rows + panel_columns) * PanelSteps<T>::pitch * sizeof(T);
    const int blocks = std::max(1, ceil_div(rows - width, panel_rows));
    lu::launch_chained<factor_panel<T>>(stream, {grid_of(blocks), panel_rows, shared}, &a(col, col), a.ld,
                                        rows, width, corners + Index{col} * panel_columns,
                                        &transposed(col - start, col), transposed.ld);
  }

  /// What columns [col, col + width) mean for columns [begin, end) behind them.
  void subtract(int col, int width, int begin, int end) {
    const Index rows = a.rows - begin, cols = end - begin;
    if (cols == 0) return;
    const MatrixView<const T> of_rows = a, of_cols = transposed;
    lu::subtract_product<T>(stream, a.block(begin, begin, rows, cols), of_rows.block(begin, col, rows, width),
                            of_cols.block(col - start, begin, width, cols), true);
  }

  cudaStream_t stream;
  MatrixView<T> a;
  MatrixView<T> copies[2], transposed;  ///< columns from `start` on, a column a row
  T* corners;
  int start = 0;
};

/// The result of a matrix that is not positive definite is NaN from the column on where this shows.
struct gustavson : OnCapability<9, 0> {
  static constexpr std::string_view idea =
      "blocks of columns, each halved down to panels, of which each block factors the square at the diagonal "
      "for itself; products by tiles on tensor cores or CUDA cores, of the lower triangle alone; applies "
      "tiling, coarsening, coalescing";
  static constexpr std::string_view source = "Gustavson 1997";
  using operations = OperationList<Cholesky<double>, Cholesky<float>>;
  static constexpr ParamSpec params[] = {lu::block_columns};

  template <class T>
  static std::size_t scratch(Cholesky<T>, const Shape& shape, const Params&) {
    return Recursion<T>::scratch(shape["n"]);
  }

  template <class Args>
  static void call(const Launch& launch, const Args& args, const Params& params) {
    using T = typename std::decay_t<decltype(args.a)>::value_type;
    if (args.a.rows == 0) return;
    const Index block = params["block"] ? params["block"] : device_tuning().cholesky_block;
    Recursion<T>(launch, args.a, args.scratch).factor(static_cast<int>(block));
  }
};

}  // namespace tallcache::gpu::cholesky
