// The QR factorisation by halving the columns (Elmroth and Gustavson, "Applying recursion to serial and
// parallel QR factorization leads to better performance", 2000): the left half, its reflectors applied to the
// right half by products, the right half. A part of block_columns columns is a panel (panel.hpp), which has
// the triangle T of its reflectors. Wider triangles would spare no time: to join those of two halves costs an
// eighth of what they are used for, and products with panels of that width run near the speed of wide ones.
//
// The work is done on a transposed copy, in which columns are contiguous whatever the leading dimension. The
// matrix itself is read once and written once.
#pragma once

#include "common/ceil_div.hpp"
#include "cpu/qr/panel.hpp"
#include "cpu/transpose/recursive_streaming.hpp"

namespace tallcache::cpu::qr {

/// The columns of the matrix to which one strand applies reflectors, panel after panel.
inline constexpr Index strand_columns = 96;

/// B = A^T.
template <class Fork, class T, class Access>
void transpose_to(Fork& fork, MatrixView<T, Access> b, MatrixView<T, Access> a) {
  if (a.rows == 0 || a.cols == 0) return;
  const transpose::Leaf leaf = transpose::leaf_of(128, transpose::Reuse::expected, transpose::fastest_walk());
  transpose::rec_transpose_streaming(fork, b, a, leaf);
}

/// The sizes of what a factorisation keeps beside the matrix.
struct FactorSizes {
  Index m, n, k;
  Index columns, ld;       ///< of the transposed copy: n, and m padded
  Index panels, panel_ld;  ///< of V by rows, and of products with it
  static constexpr Index spare = block_columns * block_columns / 2;

  FactorSizes(Index rows, Index cols)
      : m(rows),
        n(cols),
        k(std::min(rows, cols)),
        columns(ceil_div(cols, leaf_columns) * leaf_columns),
        ld(ceil_div(rows, 32) * 32 + 16),  // an odd number of lines: no power of two
        panels(ceil_div(k, block_columns)),
        panel_ld(std::min(block_columns, columns) + 8) {}

  template <class T>
  std::size_t scratch_bytes() const {
    const auto bytes = [](Index rows, Index cols) {
      return checked_product(checked_product(rows, cols, "scratch of qr"), sizeof(T), "scratch of qr");
    };
    return tallcache::scratch_bytes({bytes(columns, ld), bytes(panels * m, panel_ld),
                                     bytes(panels * block_columns, block_columns), bytes(columns, panel_ld),
                                     bytes(columns, panel_ld), bytes(spare, 1)});
  }
};

/// Reflectors in compact WY form, a panel at a time: Q = (I - V_0 T_0 V_0^T) (I - V_1 T_1 V_1^T) ...
template <class T, class Access>
struct Reflectors {
  using M = MatrixView<T, Access>;
  M vt;           ///< V^T: row c is the vector of column c, with its ones and zeros, from element c on
  M v;            ///< the panels' V, one below the other: that of panel b begins at row b m + b block_columns
  M t;            ///< the triangles, one below the other
  M x, y;         ///< room for products: a row for each row that is multiplied
  Index rows, k;  ///< of V, and the number of reflectors

  Index width(Index first) const { return std::min(block_columns, k - first); }
  M vt_of(Index first) const { return vt.block(first, first, width(first), rows - first); }
  M v_of(Index first) const {
    return v.block(first / block_columns * rows + first, 0, rows - first, width(first));
  }
  M t_of(Index first) const { return t.block(first, 0, width(first), width(first)); }

  /// C = C (I - V T V^T) for the panel whose first column is `first`, where c begins at V's first row. The
  /// rows of C are numbered from `at` on in x and y.
  template <class Fork>
  void apply_panel(Fork& fork, Index first, Index at, M c) const {
    const Index w = width(first);
    const M product = x.block(at, 0, c.rows, w), factor = y.block(at, 0, c.rows, w);
    multiply<Fork, T, Access>(fork, 1, c, v_of(first), 0, product);
    multiply<Fork, T, Access>(fork, 1, product, t_of(first), 0, factor);
    multiply<Fork, T, Access>(fork, -1, factor, vt_of(first), 1, c);
  }

  /// The panels that begin in [first, last), in this order, for the rows [begin, end) of `c`, which are as
  /// long as V.
  template <class Fork>
  void apply(Fork& fork, Index first, Index last, M c, Index begin, Index end) const {
    if (end - begin > strand_columns) {
      const Index middle = begin + (end - begin) / 2;
      return fork([&, middle] { apply(fork, first, last, c, begin, middle); },
                  [&, middle] { apply(fork, first, last, c, middle, end); });
    }
    for (Index j = first; j < last; j += block_columns)
      apply_panel(fork, j, begin, c.block(begin, j, end - begin, rows - j));
  }
};

template <class T, class Access>
class Factorization {
 public:
  using M = MatrixView<T, Access>;

  /// Takes scratch of FactorSizes.
  Factorization(M a, VectorView<T, Access> tau, Scratch<Access> scratch)
      : sizes_(a.rows, a.cols), a_(a), tau_(tau) {
    const auto& s = sizes_;
    copy_ = scratch.template matrix<T>(s.columns, s.ld);
    q_.v = scratch.template matrix<T>(s.panels * s.m, s.panel_ld);
    q_.t = scratch.template matrix<T>(s.panels * block_columns, block_columns);
    q_.x = scratch.template matrix<T>(s.columns, s.panel_ld);
    q_.y = scratch.template matrix<T>(s.columns, s.panel_ld);
    spare_ = scratch.template vector<T>(s.spare);
    q_.vt = copy_;
    q_.rows = s.m;
    q_.k = s.k;
  }

  template <class Fork>
  void operator()(Fork& fork) const {
    const auto& [m, n, k, columns, ld, panels, panel_ld] = sizes_;
    if (k == 0) return;
    transpose_to<Fork, T, Access>(fork, copy_.block(0, 0, n, m), a_);
    const Index padded = ceil_div(m, leaf_columns) * leaf_columns;
    for (Index c = 0; c < columns; ++c)
      for (Index i = c < n ? m : 0; i < padded; ++i) copy_(c, i) = 0;
    factor(fork, 0, k);
    if (n == k) return;
    q_.apply(fork, 0, k, copy_, k, n);
    transpose_to<Fork, T, Access>(fork, a_.block(0, k, k, n - k), copy_.block(k, 0, n - k, k));
  }

 private:
  template <class Fork>
  void factor(Fork& fork, Index first, Index last) const {
    if (last - first <= block_columns) return panel(fork, first, last - first);
    const Index middle = first + ceil_div((last - first) / 2, block_columns) * block_columns;
    factor(fork, first, middle);
    q_.apply(fork, first, middle, copy_, middle, last);
    factor(fork, middle, last);
  }

  /// Factors `w` columns from `first` on and writes them to the matrix, with R above them.
  template <class Fork>
  void panel(Fork& fork, Index first, Index w) const {
    const Index rows = sizes_.m - first, padded = ceil_div(sizes_.m, leaf_columns) * leaf_columns - first;
    const M block = a_.block(first, first, rows, w), v = q_.v_of(first);
    factor_panel<Fork, T, Access>(fork, copy_.block(first, first, w, padded), rows, block,
                                  tau_.block(first, w), q_.t_of(first), spare_, first + w < sizes_.n);
    transpose_to<Fork, T, Access>(fork, v, copy_.block(first, first, w, rows));
    transpose_to<Fork, T, Access>(fork, a_.block(0, first, first, w), copy_.block(first, 0, w, first));
    for (Index i = 1; i < std::min(rows, w); ++i)
      for (Index j = 0; j < i; ++j) block(i, j) = v(i, j);
    loop_blocks(fork, rows - std::min(rows, w), strand_rows / block_columns, [=](Index begin, Index end) {
      for (Index i = w + begin; i < w + end; ++i)
        for (Index j = 0; j < w; ++j) block(i, j) = v(i, j);
    });
  }

  FactorSizes sizes_;
  M a_, copy_;
  VectorView<T, Access> tau_, spare_;
  Reflectors<T, Access> q_;
};

}  // namespace tallcache::cpu::qr
