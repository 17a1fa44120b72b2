// What the decompositions do column by column, in vectors of Google Highway that are dispatched at run time:
// the elimination of columns fused with the search for the next pivot, the Cholesky decomposition and the
// inverse of a small triangle, and the transposition between a matrix and a panel.
//
// A panel holds the columns of a matrix as contiguous rows, `ld` elements apart. Behind its last row are
// zeros up to a whole vector of 64 bytes, which kernels read and write.
#pragma once

#include <cstdint>

#include "common/traced.hpp"
#include "common/view.hpp"

namespace tallcache::cpu::lu {

/// The element of the greatest magnitude among some, by the bits of its magnitude as an integer: a NaN is
/// greater than any number. Of equal ones the first.
struct Pivot {
  std::int64_t magnitude = -1;  ///< -1: there was none
  Index row = 0;

  friend Pivot greater(const Pivot& above, const Pivot& below) {
    return above.magnitude < below.magnitude ? below : above;
  }
};

/// The most columns that a leaf of the panel's recursion has.
inline constexpr Index most_leaf_columns = 8;

/// The elimination of a leaf's columns from the one behind them, which alone is written: so each column is
/// stored twice, and not once for each column to its left.
template <class T>
struct Elimination {
  T* columns;           ///< row 0 of the first; the others follow, `ld` apart
  Index ld, left;       ///< left: columns before the pivot's, below most_leaf_columns, which are those of L
  bool is_last;         ///< no column follows the pivot's
  T pivot, reciprocal;  ///< reciprocal: 0 where it is not normal, and the pivot divides
  T upper[most_leaf_columns];  ///< the column of U behind the pivot's
};

/// All accesses go through the policy.
template <class T, class Access>
struct PanelText {
  /// Scales rows [begin, end) of the pivot's column to those of L, subtracts all columns of L from the next
  /// one, and returns the pivot among these rows of it.
  Pivot (*eliminate)(const Elimination<T>&, Index begin, Index end, Access);
  /// The pivot of a column among rows [begin, end).
  Pivot (*search)(const T* column, Index begin, Index end, Access);
  /// Exchanges `count` elements, which do not overlap.
  void (*exchange)(T* a, T* b, Index count, Access);
  /// to(j, i) = from(i, j) for `rows` x `cols` elements of `from`.
  void (*transpose)(T* to, Index to_ld, const T* from, Index from_ld, Index rows, Index cols, Access);
  /// U with U^T U = A for the upper triangle of A, n x n, in place; below the diagonal it writes. Rows are
  /// whole vectors of 64 bytes. Returns the first pivot that is not above 0, or n.
  Index (*cholesky)(T* a, Index ld, Index n, Access);
  /// X = L^-1 for a lower triangle, n x n, with zeros above the diagonal. Element (i, j) of L is at l + i *
  /// row_stride + j * col_stride, rows of X are whole vectors of 64 bytes, `ld` apart. Returns whether all
  /// elements of X are finite.
  bool (*invert)(T* x, Index ld, const T* l, Index row_stride, Index col_stride, Index n, bool unit, Access);
};

template <class T>
struct PanelKernel {
  template <class Access>
  using Text = PanelText<T, Access>;
  CompiledTexts<Text> text;
};

/// Of the target that this processor dispatches to.
template <class T>
const PanelKernel<T>& panel_kernel();
template <>
const PanelKernel<double>& panel_kernel();
template <>
const PanelKernel<float>& panel_kernel();

}  // namespace tallcache::cpu::lu
