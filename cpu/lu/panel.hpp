// A panel of columns, factored with partial pivoting by Toledo's recursion down to a few columns.
//
// It is a copy whose rows are the columns of the matrix, so that the search for a pivot runs along contiguous
// elements, and no two columns collide in a cache whatever the matrix's leading dimension.
#pragma once

#include <cmath>
#include <cstdint>

#include "common/ops/lu.hpp"
#include "cpu/lu/triangular_solves.hpp"

namespace tallcache::cpu::lu {

/// The columns of a leaf of the panel's recursion: the rows of a tile of the product.
template <class T>
Index leaf_columns() {
  return std::min(matmul::register_kernel<T>().mr, most_leaf_columns);
}

/// The most columns of a panel.
template <class T>
Index panel_columns() {
  return 8 * leaf_columns<T>();
}

/// The rows of a column that one strand processes: whole vectors.
inline constexpr Index strand_rows = 8192;

template <class T, class Access, class Exchanges>
struct Panel {
  using Matrix = MatrixView<T, Access>;
  using Constant = MatrixView<const T, Access>;

  Matrix columns;  ///< row j is column j of the matrix; zeros follow its `rows` elements
  Index rows;
  Exchanges exchanges;
  Index first;  ///< the number in the whole matrix of row 0, and of column 0
  SolveMemory<T, Access> memory;
  /// Where the number of the first column without a pivot is noted, -1 before; such a column is left as it
  /// is, and the next one follows. nullptr: it throws Error.
  Index* zero_pivot = nullptr;

  /// Factors columns [begin, end), whose rows above `begin` are done.
  template <class Fork>
  void factor(Fork& fork, Index begin, Index end) const {
    const Index leaf = leaf_columns<T>(), units = ceil_div(end - begin, leaf);
    if (units <= 1) return factor_leaf(fork, begin, end);
    const Index middle = begin + units / 2 * leaf, left = middle - begin, right = end - middle;
    factor(fork, begin, middle);
    exchange(middle, end, begin, middle);
    const Matrix upper = columns.block(middle, begin, right, left);
    const TriangularSolve<T, Access> solve{Side::right, Triangle::upper, Trans::no, Diagonal::unit, memory};
    solve(fork, columns.block(begin, begin, left, left), upper);
    // The product reads factors where they lie, which are in a near cache, and whole vectors of them.
    const Index lanes = matmul::register_kernel<T>().lanes, below = ceil_div(rows - middle, lanes) * lanes;
    multiply<Fork, T, Access>(fork, T{-1}, upper, Trans::no, columns.block(begin, middle, left, below),
                              Trans::no, T{1}, columns.block(middle, middle, right, below), memory.product,
                              unpacked);
    factor(fork, middle, end);
    exchange(begin, middle, middle, end);
  }

 private:
  /// Applies the exchanges of columns [from, to) to columns [begin, end).
  void exchange(Index begin, Index end, Index from, Index to) const {
    for (Index j = begin; j < end; ++j)
      for (Index k = from; k < to; ++k) swap_elements(j, k, exchanges[k] - first);
  }

  void swap_elements(Index column, Index row, Index other) const {
    if (row == other) return;
    const T old = columns(column, row);
    columns(column, row) = T(columns(column, other));
    columns(column, other) = old;
  }

  template <class Fork>
  void factor_leaf(Fork& fork, Index begin, Index end) const {
    CompiledApart<Access> apart(columns.access());
    const auto policy = apart.policy();
    const PanelText<T, decltype(apart.policy())>& text = panel_kernel<T>().text.under(policy);
    Pivot pivot = by_rows(fork, begin, rows,
                          [&](Index from, Index to) { return text.search(&raw(begin), from, to, policy); });
    for (Index k = begin; k < end; ++k) {
      const T value = columns(k, pivot.row);
      if (!(std::abs(value) > 0)) unusable(first + k, value);
      exchanges[k] = static_cast<std::int32_t>(first + pivot.row);
      for (Index j = begin; j < end; ++j) swap_elements(j, k, pivot.row);
      // 1 / pivot overflows for a subnormal pivot, and has few digits for a huge one.
      const T inverse = T{1} / (value == 0 ? T{1} : value);  // below a zero pivot all are zeros
      Elimination<T> e{
          &raw(begin), columns.ld, k - begin, k + 1 == end, value, std::isnormal(inverse) ? inverse : T{0},
          {}};
      if (k + 1 < end) finish_upper(begin, k + 1, e.upper);
      pivot = by_rows(fork, k + 1, rows,
                      [&](Index from, Index to) { return text.eliminate(e, from, to, policy); });
    }
  }

  /// The rows of column k that belong to U, of the leaf that begins at column `begin`.
  void finish_upper(Index begin, Index k, T* upper) const {
    for (Index i = begin; i < k; ++i) {
      T sum = columns(k, i);
      for (Index l = begin; l < i; ++l) sum -= T(columns(l, i)) * upper[l - begin];
      columns(k, i) = upper[i - begin] = sum;
    }
  }

  void unusable(Index column, T value) const {
    if (!zero_pivot) throw_unusable_pivot("lu_pivot", column, value);
    if (value == 0 && *zero_pivot < 0) *zero_pivot = column;
  }

  T& raw(Index column) const { return columns.data[column * columns.ld]; }

  template <class Fork, class Body>
  Pivot by_rows(Fork& fork, Index begin, Index end, const Body& body) const {
    if (end - begin <= strand_rows) return body(begin, end);
    const Index middle = begin + (end - begin) / 2 / 64 * 64;
    Pivot above, below;
    fork([&, this] { above = by_rows(fork, begin, middle, body); },
         [&, this] { below = by_rows(fork, middle, end, body); });
    return greater(above, below);
  }
};

}  // namespace tallcache::cpu::lu
