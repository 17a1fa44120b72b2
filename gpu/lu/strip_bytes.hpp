// The shared memory of a block that exchanges and solves a strip of columns, for what plans it and what
// checks that it fits.
#pragma once

#include <cstddef>

#include "common/ceil_div.hpp"

namespace tallcache::gpu::lu {

/// The columns of a strip, its warps, and from a row of its triangle in shared memory to the next one.
inline constexpr int strip = 32, strip_warps = 8, triangle_pitch = 33;

/// For a triangle of `width` columns of elements of `element` bytes.
constexpr std::size_t strip_bytes(int width, std::size_t element) {
  return static_cast<std::size_t>(ceil_div(width, 32)) * 32 * (strip + triangle_pitch) * element;
}

}  // namespace tallcache::gpu::lu
