// The descriptions of matrices that Hopper's bulk copies of tiles take.
#pragma once

#include <cuda.h>

#include "common/bfloat16.hpp"
#include "common/view.hpp"

namespace tallcache::gpu {

/// Boxes of a matrix as bulk copies read them. The matrix of `map` starts at a multiple of 16 bytes, and the
/// first column of the caller's is its column `first_col`.
struct TensorBoxes {
  CUtensorMap map;
  int first_col;
};

/// Whether a bulk copy can read `a`: rows are whole 16 bytes apart. The first may start at any element.
template <class T>
bool has_tensor_boxes(const MatrixView<const T>& a) {
  return a.ld * sizeof(T) % 16 == 0;
}

/// Boxes of box_rows x box_cols elements of `a`, whose rows of 64 or 128 bytes are swizzled in shared memory.
/// What lies outside the matrix is read as zero. Throws Error when its rows end behind where, counted from the
/// multiple of 16 bytes before its first element, the next ones begin, and when the driver refuses.
TensorBoxes tensor_boxes(const MatrixView<const Bfloat16>& a, int box_rows, int box_cols);
TensorBoxes tensor_boxes(const MatrixView<const float>& a, int box_rows, int box_cols);

}  // namespace tallcache::gpu
