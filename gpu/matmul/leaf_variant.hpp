// The product that recursions over halves call for their leaves on a device, by its record.
#pragma once

#include "common/variant.hpp"

namespace tallcache::gpu::matmul {

/// Of elements T, float or double: any_shape, or of doubles warp_mma, on tensor cores.
template <class T>
const Variant& leaf_variant();

}  // namespace tallcache::gpu::matmul
