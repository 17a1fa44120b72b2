// The QR factorisation as a sequence of kernels.
#pragma once

#include <utility>

#include "common/ops/qr.hpp"
#include "gpu/lu/subtract_product.cuh"
#include "gpu/qr/panel.cuh"
#include "gpu/qr/sliced_product.cuh"
#include "gpu/qr/tall_column.cuh"
#include "gpu/side_stream.cuh"

namespace tallcache::gpu::qr {

/// Blocks of columns from left to right, each halved as Elmroth and Gustavson do it: the left half, its
/// reflectors applied to the right half, the right half. The product of reflectors is Q = I - V T V^T. With
/// Y = T^T V^T, Q^T C = C - V (Y C), and the Y of two halves together is Y_1 above Y_2 - (Y_2 V_1) Y_1.
template <class T>
class Recursion {
 public:
  static constexpr int max_block = 256;

  /// The bytes of scratch for m x n.
  static std::size_t scratch(Index m, Index n) {
    std::size_t bytes = scratch_bytes({max_column_blocks * sizeof(ColumnSum<T>)});
    const std::size_t width = columns_kept(m, n);
    for (int i = 0; i < (looks_ahead(m, n) ? 2 : 1); ++i)
      bytes += scratch_bytes(
          {m * width * sizeof(T), width * row_size(m) * sizeof(T), width * row_size(n) * sizeof(T)});
    return bytes;
  }

  Recursion(const Launch& launch, const MatrixView<T>& matrix, T* taus, Scratch<> scratch)
      : stream(stream_of(launch)), a(matrix), tau(taus) {
    sums = reinterpret_cast<ColumnSum<T>*>(
        scratch.template vector<std::byte>(max_column_blocks * sizeof(ColumnSum<T>)).data);
    const Index width = columns_kept(a.rows, a.cols);
    for (int i = 0; i < (looks_ahead(a.rows, a.cols) ? 2 : 1); ++i) {
      reflectors[i].v = scratch.template matrix<T>(a.rows, width);
      reflectors[i].y = scratch.template matrix<T>(width, row_size(a.rows));
      products[i] = scratch.template matrix<T>(width, row_size(a.cols));
    }
  }

  /// Where a matrix is large, the next block of columns is brought up to date first, and factored beside the
  /// products of the columns behind it.
  void factor(int block) {
    const int steps = static_cast<int>(std::min(a.rows, a.cols)), cols = static_cast<int>(a.cols);
    const SideStream streams(stream, looks_ahead(a.rows, a.cols));
    const bool apart = streams.side != streams.main;
    int turn = 0;
    for (int width; start < steps; start += width) {
      width = std::min(block, steps - start);
      const int next = start + width, ahead = apart ? std::min(next + block, steps) : next;
      v = reflectors[turn].v, y = reflectors[turn].y;
      turn = apart ? 1 - turn : 0;
      stream = streams.side, product = products[apart ? 1 : 0];
      factor_columns(start, width);
      streams.main_waits();
      if (ahead > next) {
        streams.side_waits();  // for the products before
        apply(start, width, next, ahead);
      }
      stream = streams.main, product = products[0];
      apply(start, width, ahead, cols);
      streams.main_is_done();
    }
  }

 private:
  /// Rows start at multiples of 16 bytes.
  static Index row_size(Index n) { return ceil_div(n, Index{4}) * 4; }
  static Index columns_kept(Index m, Index n) { return row_size(std::min<Index>({m, n, max_block})); }

  static bool looks_ahead(Index m, Index n) { return std::min(m, n) > device_tuning().factor_ahead_steps; }

  /// A panel of few columns, of which a cluster has room for more rows.
  static int leaf_width(Index rows) {
    constexpr Index in_registers = 16 * 32 * max_panel_warps<32>;
    return rows <= in_registers ? 32 : rows <= 2 * in_registers ? 16 : rows <= 4 * in_registers ? 8 : 1;
  }

  /// Rows [row, rows of A) of V, and columns of Y, of the reflectors of columns [col, col + width).
  MatrixView<const T> v_of(Index row, Index col, Index width) const {
    return v.block(row, col - start, a.rows - row, width);
  }
  MatrixView<const T> y_of(Index row, Index col, Index width) const {
    return y.block(col - start, row, width, a.rows - row);
  }

  void factor_columns(int col, int width) {
    const int leaf = leaf_width(a.rows - col);
    if (width <= leaf) return factor_leaf(col, width);
    const int half = ceil_div(ceil_div(width, leaf), 2) * leaf;
    factor_columns(col, half);
    apply(col, half, col + half, col + width);
    factor_columns(col + half, width - half);
    join(col, half, width - half);
  }

  /// The transposed reflectors of columns [col, col + width) on columns [begin, end) behind them.
  void apply(int col, int width, int begin, int end) {
    if (begin == end) return;
    const MatrixView<T> c = a.block(col, begin, a.rows - col, end - begin);
    const MatrixView<T> of_c = product.block(0, 0, width, end - begin);
    multiply_sliced<T>(stream, of_c, y_of(col, col, width), c);
    lu::subtract_product<T>(stream, c, v_of(col, col, width), of_c);
  }

  /// Columns [col, col + left) and `right` columns behind them. V of these is 0 before row col + left.
  void join(int col, int left, int right) {
    const int middle = col + left;
    const MatrixView<T> of_both = product.block(0, 0, right, left);
    multiply_sliced<T>(stream, of_both, y_of(middle, middle, right), v_of(middle, col, left));
    lu::subtract_product<T>(stream, y.block(middle - start, col, right, a.rows - col), of_both,
                            y_of(col, col, left));
  }

  void factor_leaf(int col, int width) {
    const int rows = static_cast<int>(a.rows) - col;
    const PanelTo<T> to{&a(col, col), a.ld,      &v(col, col - start), v.ld, &y(col - start, col),
                        y.ld,         tau + col, col - start};
    switch (leaf_width(rows)) {
      case 32:
        return factor_in_cluster<32>(to, rows, width);
      case 16:
        return factor_in_cluster<16>(to, rows, width);
      case 8:
        return factor_in_cluster<8>(to, rows, width);
      default:
        return factor_column(to, rows);
    }
  }

  /// Few rows a lane while 16 blocks have room for them: a column's step takes less time.
  template <int columns>
  void factor_in_cluster(const PanelTo<T>& to, int rows, int width) {
    constexpr int few = 16 * PanelKernel<T, columns, 16>::of_warp * max_panel_warps<16>;
    return rows <= few ? launch_panel<columns, 16>(to, rows, width)
                       : launch_panel<columns, 32>(to, rows, width);
  }
  template <int columns, int of_lane>
  void launch_panel(const PanelTo<T>& to, int rows, int width) {
    using Kernel = PanelKernel<T, columns, of_lane>;
    const int all_warps = ceil_div(rows, Kernel::of_warp);
    int blocks = 1;
    while (blocks * max_panel_warps<of_lane> < all_warps) blocks *= 2;
    const int warps = std::max(8, ceil_div(all_warps, blocks));
    lu::launch_chained<factor_panel<T, columns, of_lane>>(
        stream,
        {static_cast<unsigned>(blocks), 32u * static_cast<unsigned>(warps), Kernel::shared_bytes(warps),
         static_cast<unsigned>(blocks)},
        to, rows, width);
  }

  void factor_column(const PanelTo<T>& to, int rows) {
    const int blocks = std::min(ceil_div(rows, column_threads), max_column_blocks);
    const lu::ChainedShape shape{static_cast<unsigned>(blocks), column_threads};
    lu::launch_chained<sum_column<T>>(stream, shape, to.a, to.ld, rows, sums);
    lu::launch_chained<reflect_column<T>>(stream, shape, to, rows, sums);
  }

  cudaStream_t stream;
  MatrixView<T> a;
  T* tau;
  ColumnSum<T>* sums;
  struct {
    MatrixView<T> v, y;
  } reflectors[2];  ///< of a block of columns, and of the next one beside it
  MatrixView<T> products[2];
  MatrixView<T> v, y, product;  ///< those of now
  int start = 0;                ///< of the block of columns
};

}  // namespace tallcache::gpu::qr
