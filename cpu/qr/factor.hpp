// The QR factorisation by halving the columns (Elmroth and Gustavson, "Applying recursion to serial and
// parallel QR factorization leads to better performance", 2000): the left half, its reflectors applied to
// the right half by products, the right half. A part of a thirty-second of the columns is a panel
// (panel.hpp), which has the triangle T of its reflectors. Panels are applied one after the other: to join
// the triangles of two would take an eighth of the operations of applying both to as many columns. Work
// Theta(m n k), span Theta(m k) up to the strands of rows: each reflector waits for the one before. Misses
// Theta(m n k / (L w)) with panels of w columns, where a panel fits into the cache and the matrix does not.
//
// The work is done on a transposed copy, in which columns are contiguous whatever the leading dimension. The
// matrix itself is read once and written once.
#pragma once

#include <cstring>

#include "common/ceil_div.hpp"
#include "cpu/qr/panel.hpp"
#include "cpu/transpose/recursive_streaming.hpp"

namespace tallcache::cpu::qr {

/// The columns of the matrix to which one strand applies reflectors, panel after panel.
inline constexpr Index strand_columns = 192;

/// A matrix in column-major order, by the row-major view of its transpose.
template <class M>
struct Transposed {
  M view;
  Index rows, cols;

  explicit Transposed(M view) : view(view), rows(view.cols), cols(view.rows) {}
  decltype(auto) operator()(Index i, Index j) const { return view(j, i); }
  Transposed block(Index i, Index j, Index block_rows, Index block_cols) const {
    return Transposed(view.block(j, i, block_cols, block_rows));
  }
};
template <class M>
inline constexpr bool is_transposed = false;
template <class M>
inline constexpr bool is_transposed<Transposed<M>> = true;

/// B = A.
template <class Fork, class T, class Access>
void copy_to(Fork& fork, MatrixView<T, Access> b, MatrixView<T, Access> a) {
  if (a.cols == 0) return;
  loop_blocks(fork, a.rows, 8, [=](Index begin, Index end) {
    for (Index i = begin; i < end; ++i)
      std::memcpy(store_n(b.access(), b.data + i * b.ld, a.cols),
                  load_n(a.access(), a.data + i * a.ld, a.cols),
                  static_cast<std::size_t>(a.cols) * sizeof(T));
  });
}

/// B = A^T.
template <class Fork, class T, class Access>
void transpose_to(Fork& fork, MatrixView<T, Access> b, MatrixView<T, Access> a) {
  if (a.rows == 0 || a.cols == 0) return;
  const transpose::Leaf leaf = transpose::leaf_of(128, transpose::Reuse::expected, transpose::fastest_walk());
  transpose::rec_transpose_streaming(fork, b, a, leaf);
}

template <class Fork, class T, class Access>
void transpose_to(Fork& fork, MatrixView<T, Access> b, Transposed<MatrixView<T, Access>> a) {
  copy_to(fork, b, a.view);
}
template <class Fork, class T, class Access>
void transpose_to(Fork& fork, Transposed<MatrixView<T, Access>> b, MatrixView<T, Access> a) {
  copy_to(fork, b.view, a);
}

/// The sizes of what a factorisation keeps beside the matrix.
struct FactorSizes {
  Index m, n, k;
  Index columns, ld;       ///< of the transposed copy: n, and m padded
  Index panels, panel_ld;  ///< of V by rows, and of products with it
  Index width;             ///< of a panel
  Index workspace;         ///< elements for factor_panel()

  FactorSizes(Index rows, Index cols)
      : m(rows),
        n(cols),
        k(std::min(rows, cols)),
        columns(ceil_div(cols, leaf_columns) * leaf_columns),
        ld(ceil_div(rows, 32) * 32 + 16),  // an odd number of lines: no power of two
        panels(ceil_div(k, panel_columns(k))),
        panel_ld(panel_columns(k) + 8),
        width(panel_columns(k)),
        workspace(width * width) {}

  template <class T>
  std::size_t scratch_bytes() const {
    const auto bytes = [](Index rows, Index cols) {
      return checked_product(checked_product(rows, cols, "scratch of qr"), sizeof(T), "scratch of qr");
    };
    return tallcache::scratch_bytes({bytes(columns, ld), bytes(panels * m, panel_ld),
                                     bytes(panels * width, width), bytes(columns, panel_ld),
                                     bytes(columns, panel_ld), bytes(workspace, 1)});
  }
};

/// Reflectors in compact WY form, a panel at a time: Q = (I - V_0 T_0 V_0^T) (I - V_1 T_1 V_1^T) ...
template <class T, class Access>
struct Reflectors {
  using M = MatrixView<T, Access>;
  M vt;           ///< V^T: row c is the vector of column c, with its ones and zeros, from element c on
  M v;            ///< the panels' V, one below the other: that of panel b begins at row b (m + columns)
  M t;            ///< the triangles, one below the other
  M x, y;         ///< workspace of products: a row for each row that is multiplied
  Index columns;  ///< of a panel
  Index rows, k;  ///< of V, and the number of reflectors
  bool backwards = false;  ///< the triangles are transposed: a panel's reflectors in the reverse order
  Index padded;  ///< rows of V and of what is multiplied, with zeros up to a multiple of leaf_columns

  /// In scratch of these sizes, but for x and y.
  static Reflectors take(Scratch<Access>& scratch, const FactorSizes& s) {
    Reflectors q;
    q.vt = scratch.template matrix<T>(s.columns, s.ld);
    q.v = scratch.template matrix<T>(s.panels * s.m, s.panel_ld);
    q.t = scratch.template matrix<T>(s.panels * s.width, s.width);
    q.columns = s.width;
    q.rows = s.m;
    q.k = s.k;
    q.padded = ceil_div(s.m, leaf_columns) * leaf_columns;
    return q;
  }

  Index width(Index first) const { return std::min(columns, k - first); }
  M vt_of(Index first) const { return vt.block(first, first, width(first), padded - first); }
  M v_of(Index first) const { return v.block(first / columns * rows + first, 0, rows - first, width(first)); }
  M t_of(Index first) const { return t.block(first, 0, width(first), width(first)); }

  /// C = C (I - V T V^T) for the panel whose first column is `first`, where c begins at V's first row and
  /// is padded. The rows of C are numbered from `at` on in x and y. Whole vectors are subtracted: B would
  /// have to be packed otherwise.
  template <class Fork>
  void apply_panel(Fork& fork, Index first, Index at, M c) const {
    const Index w = width(first);
    const M product = x.block(at, 0, c.rows, w), factor = y.block(at, 0, c.rows, w);
    multiply<Fork, T, Access>(fork, 1, c.block(0, 0, c.rows, rows - first), v_of(first), 0, product);
    // Half of T's columns are zero in half of its rows.
    const Index half = w / 2, rest = w - half;
    const M triangle = t_of(first);
    const auto columns_of = [](M of, Index begin, Index size) { return of.block(0, begin, of.rows, size); };
    const auto square = [&](Index begin, Index size) {
      multiply<Fork, T, Access>(fork, 1, columns_of(product, begin, size),
                                triangle.block(begin, begin, size, size), 0, columns_of(factor, begin, size));
    };
    const auto all_rows = [&](Index begin, Index size) {
      multiply<Fork, T, Access>(fork, 1, product, columns_of(triangle, begin, size), 0,
                                columns_of(factor, begin, size));
    };
    backwards ? square(half, rest) : square(0, half);
    backwards ? all_rows(0, half) : all_rows(half, rest);
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
    for (Index j = first; j < last; j += columns)
      apply_panel(fork, j, begin, c.block(begin, j, end - begin, padded - j));
  }
};

/// `A`: a view in either order.
template <class T, class Access, class A = MatrixView<T, Access>>
class Factorization {
 public:
  using M = MatrixView<T, Access>;

  /// Takes scratch of FactorSizes.
  Factorization(A a, VectorView<T, Access> tau, Scratch<Access> scratch)
      : sizes_(a.rows, a.cols), a_(a), tau_(tau) {
    q_ = Reflectors<T, Access>::take(scratch, sizes_);
    q_.x = scratch.template matrix<T>(sizes_.columns, sizes_.panel_ld);
    q_.y = scratch.template matrix<T>(sizes_.columns, sizes_.panel_ld);
    workspace_ = scratch.template vector<T>(sizes_.workspace);
    copy_ = q_.vt;
  }

  template <class Fork>
  void operator()(Fork& fork) const {
    const Index m = sizes_.m, n = sizes_.n, k = sizes_.k, columns = sizes_.columns;
    if (k == 0) return;
    transpose_to<Fork, T, Access>(fork, copy_.block(0, 0, n, m), a_);
    zero(copy_.block(0, m, n, q_.padded - m));
    zero(copy_.block(n, 0, columns - n, q_.padded));
    factor(fork, 0, k);
    if (n == k) return;
    q_.apply(fork, 0, k, copy_, k, n);
    transpose_to<Fork, T, Access>(fork, a_.block(0, k, k, n - k), copy_.block(k, 0, n - k, k));
  }

 private:
  template <class Fork>
  void factor(Fork& fork, Index first, Index last) const {
    if (last - first <= sizes_.width) return panel(fork, first, last - first);
    const Index middle = first + ceil_div((last - first) / 2, sizes_.width) * sizes_.width;
    factor(fork, first, middle);
    q_.apply(fork, first, middle, copy_, middle, last);
    factor(fork, middle, last);
  }

  /// Factors `w` columns from `first` on and writes them to the matrix, with R above them.
  template <class Fork>
  void panel(Fork& fork, Index first, Index w) const {
    const Index rows = sizes_.m - first, padded = q_.padded - first;
    const A block = a_.block(first, first, rows, w);
    const M v = q_.v_of(first);
    factor_panel<Fork, T, Access>(fork, copy_.block(first, first, w, padded), block, tau_.block(first, w),
                                  q_.t_of(first), workspace_, first + w < sizes_.n);
    transpose_to<Fork, T, Access>(fork, v, copy_.block(first, first, w, rows));
    transpose_to<Fork, T, Access>(fork, a_.block(0, first, first, w), copy_.block(first, 0, w, first));
    for (Index i = 1; i < std::min(rows, w); ++i)
      for (Index j = 0; j < i; ++j) block(i, j) = v(i, j);
    if constexpr (is_transposed<A>) {
      const Index below = rows - std::min(rows, w);
      return transpose_to<Fork, T, Access>(fork, block.block(rows - below, 0, below, w),
                                           copy_.block(first, first + rows - below, w, below));
    }
    loop_blocks(fork, rows - std::min(rows, w), strand_rows / 32, [=](Index begin, Index end) {
      for (Index i = w + begin; i < w + end; ++i)
        for (Index j = 0; j < w; ++j) block(i, j) = v(i, j);
    });
  }

  FactorSizes sizes_;
  A a_;
  M copy_;
  VectorView<T, Access> tau_, workspace_;
  Reflectors<T, Access> q_;
};

}  // namespace tallcache::cpu::qr
