// The descriptions of matrices that Hopper's bulk copies of tiles take.
#pragma once

#include <cuda.h>

#include "common/bfloat16.hpp"
#include "common/view.hpp"

namespace tallcache::gpu {

/// Whether a bulk copy can read `a`: rows start at multiples of 16 bytes.
bool has_tensor_map(const MatrixView<const Bfloat16>& a);

/// Boxes of box_rows x box_cols elements of `a`, whose rows of 128 bytes are swizzled in shared memory. What
/// lies outside the matrix is read as zero. Throws Error when the driver refuses.
CUtensorMap tensor_map(const MatrixView<const Bfloat16>& a, int box_rows, int box_cols);

}  // namespace tallcache::gpu
