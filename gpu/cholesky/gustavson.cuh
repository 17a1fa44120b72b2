// Cholesky decomposition by Gustavson's recursion.
#pragma once

#include "common/ops/cholesky.hpp"
#include "gpu/cholesky/gustavson_panel.cuh"
#include "gpu/lu/subtract_product.cuh"
#include "gpu/on_gpu.hpp"
#include "gpu/tuning/tuning.hpp"

namespace tallcache::gpu::cholesky {

/// Blocks of columns from left to right, each halved: the left half, the product of its rows with themselves,
/// the right half.
template <class T>
class Recursion {
 public:
  static constexpr int max_block = 256;

  static std::size_t scratch(Index n) {
    return scratch_bytes({max_block * row_size(n) * sizeof(T), n * panel_columns * sizeof(T)});
  }

  Recursion(const Launch& launch, const MatrixView<T>& matrix, Scratch<> scratch)
      : stream(stream_of(launch)),
        a(matrix),
        transposed(scratch.template matrix<T>(max_block, row_size(matrix.rows))),
        corners(scratch.template vector<T>(matrix.rows * panel_columns).data) {}

  void factor(int block) {
    const int n = static_cast<int>(a.rows);
    for (int col = 0; col < n; col += block) {
      start = col;
      const int width = std::min(block, n - col);
      factor_panel_at(col, width);
      subtract(col, width, n);
    }
    lu::launch_chained<store_corners<T>>(
        stream, {grid_of(std::min(ceil_div(n, 8), 8 * multiprocessors())), 256}, a, corners);
  }

 private:
  /// Rows of the transposed copy start at multiples of 16 bytes.
  static Index row_size(Index n) { return ceil_div(n, Index{4}) * 4; }

  void factor_panel_at(int col, int width) {
    if (width <= panel_columns) return factor_leaf(col, width);
    const int half = ceil_div(ceil_div(width, panel_columns), 2) * panel_columns;
    factor_panel_at(col, half);
    subtract(col, half, col + width);
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

  /// What columns [col, col + width) mean for those behind them up to `end`.
  void subtract(int col, int width, int end) {
    const Index row = col + width, rows = a.rows - row, cols = end - row;
    if (rows <= 0 || cols <= 0) return;
    const MatrixView<const T> of_rows = a, of_cols = transposed;
    lu::subtract_product<T>(stream, a.block(row, row, rows, cols), of_rows.block(row, col, rows, width),
                            of_cols.block(col - start, row, width, cols), true);
  }

  cudaStream_t stream;
  MatrixView<T> a, transposed;  ///< the second: columns from `start` on, a column a row
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
  static constexpr Index blocks[] = {0, 64, 128, 256};
  static constexpr ParamSpec params[] = {{.name = "block",
                                          .default_value = 0,
                                          .what = "columns of a block; 0: as suits the device",
                                          .min = 0,
                                          .choices = blocks}};

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
