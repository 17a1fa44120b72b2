// Views of a caller's own memory as a std::span: of a vector, an array, or a part of them.
#pragma once

#include <cstddef>
#include <span>

#include "common/error.hpp"
#include "common/view.hpp"

namespace tallcache {

/// All elements of `elements`.
template <class T, std::size_t extent>
constexpr VectorView<T> vector_view(std::span<T, extent> elements) {
  return {elements.data(), static_cast<Index>(elements.size())};
}

/// A row-major matrix of rows x cols elements, row i at `ld` * i of `elements`; without an `ld` its rows are
/// without gaps. Throws Error when a size is negative, ld < cols, or `elements` are too few.
template <class T, std::size_t extent>
constexpr MatrixView<T> matrix_view(std::span<T, extent> elements, Index rows, Index cols, Index ld = -1) {
  if (ld == -1) ld = cols;
  if (rows < 0 || cols < 0 || ld < cols) throw Error("matrix_view: no matrix has such sizes");
  const auto size = static_cast<Index>(elements.size());
  // (rows - 1) ld + cols elements, without overflow.
  if (rows > 0 && cols > 0 && (cols > size || (ld > 0 && rows - 1 > (size - cols) / ld)))
    throw Error("matrix_view: the span has too few elements");
  return {elements.data(), rows, cols, ld};
}

}  // namespace tallcache
