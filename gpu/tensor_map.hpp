// The descriptions of matrices that Hopper's bulk copies of tiles take.
#pragma once

#include <cuda.h>

#include <cstdint>

#include "common/bfloat16.hpp"
#include "common/view.hpp"

namespace tallcache::gpu {

/// Whether a bulk copy can read `a`: rows start at multiples of 16 bytes.
template <class T>
bool has_tensor_map(const MatrixView<const T>& a) {
  return reinterpret_cast<std::uintptr_t>(a.data) % 16 == 0 && a.ld * sizeof(T) % 16 == 0;
}

/// Boxes of box_rows x box_cols elements of `a`, whose rows of 64 or 128 bytes are swizzled in shared memory.
/// What lies outside the matrix is read as zero. Throws Error when the driver refuses.
CUtensorMap tensor_map(const MatrixView<const Bfloat16>& a, int box_rows, int box_cols);
CUtensorMap tensor_map(const MatrixView<const float>& a, int box_rows, int box_cols);

}  // namespace tallcache::gpu
