// The transpose of a matrix as a view: nothing moves.
#pragma once

#include <utility>

#include "common/placed_view.hpp"

namespace tallcache {

/// Its element (i, j) is the matrix's (j, i).
template <class T, class Access = Plain>
struct TransposedView {
  using value_type = std::remove_const_t<T>;
  MatrixView<T, Access> matrix;

  constexpr decltype(auto) operator()(Index i, Index j) const { return matrix(j, i); }
};

template <class T, Placed Access>
struct TransposedView<T, Access> {
  using value_type = std::remove_const_t<T>;
  MatrixView<T, Access> matrix;

  decltype(auto) operator()(Index i, Index j, Place place = Place::current()) const {
    return matrix(j, i, place);
  }
};

template <class T, class Access>
constexpr TransposedView<T, Access> transpose_of(MatrixView<T, Access> a) {
  return {a};
}

/// As of a matrix.
template <class T, class Access>
constexpr auto halve_rows(TransposedView<T, Access> a) {
  const auto [left, right] = halve_cols(a.matrix);
  return std::pair{transpose_of(left), transpose_of(right)};
}
template <class T, class Access>
constexpr auto halve_cols(TransposedView<T, Access> a) {
  const auto [top, bottom] = halve_rows(a.matrix);
  return std::pair{transpose_of(top), transpose_of(bottom)};
}

}  // namespace tallcache
