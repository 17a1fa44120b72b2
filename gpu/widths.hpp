// The committed widths of the kernels' accesses (gpu/widths.def).
#pragma once

#include "common/warp/compiled_widths.hpp"

namespace tallcache::gpu {

/// As bench/widths found them. They hold for the texts as they are: a test compares them where nvcc is.
const warp::CompiledWidths& compiled_widths();

}  // namespace tallcache::gpu
