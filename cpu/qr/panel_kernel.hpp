// The kernels of the QR factorisation's panels, in vectors of Google Highway, dispatched at run time. A panel
// is stored by its columns: each is contiguous.
#pragma once

#include "common/named.hpp"
#include "common/traced.hpp"
#include "common/view.hpp"

namespace tallcache::cpu::qr {

/// The columns that a leaf factors. Panels begin, and numbers of rows are padded, at multiples of it, so that
/// all targets have whole vectors.
inline constexpr Index leaf_columns = 8;

/// A pass over the columns of a leaf, of which element i of column c is at columns[c * ld + i].
template <class T>
struct ReflectorPass {
  int j = -1;               ///< the reflector that is applied; -1: none
  T scale = 1;              ///< column j becomes its vector v when it is multiplied by this
  T factors[leaf_columns];  ///< column c loses factors[c] v, for c > j
};

/// What a panel runs on bare pointers, all of whose accesses go through the policy.
template <class T, class Access>
struct PanelText {
  /// Applies the reflector, and stores the inner product of column j + 1 with each column c, as it is then,
  /// in products[c]. So each reflector reads and writes the leaf once. `rows` is a multiple of
  /// leaf_columns, and columns are aligned to as many elements.
  void (*reflect)(const ReflectorPass<T>&, T* columns, Index ld, Index rows, T* products, Access);
  /// x[i * ldx + j] = the inner product of row i of A (m x k) and row j of B (n x k). k is a multiple of
  /// leaf_columns.
  void (*multiply_rows)(Index m, Index n, Index k, const T* a, const T* b, Index ld, T* x, Index ldx, Access);
};

template <class T>
struct PanelKernel {
  template <class Access>
  using Text = PanelText<T, Access>;
  CompiledTexts<Text> text;
};

/// The kernels of the target that this processor dispatches to.
template <class T>
const PanelKernel<T>& panel_kernel();
template <>
const PanelKernel<double>& panel_kernel();
template <>
const PanelKernel<float>& panel_kernel();

}  // namespace tallcache::cpu::qr
