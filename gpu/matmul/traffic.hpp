// The global memory traffic of a block of the product kernels, derived from their texts. No CUDA header is
// included here.
#pragma once

namespace tallcache::gpu::matmul {

/// The elements read and the operations executed by a block in one step along the inner dimension.
struct Traffic {
  double loads, operations;

  constexpr double operations_per_load() const { return operations / loads; }
  constexpr double operations_per_byte(double element_bytes) const {
    return operations / (loads * element_bytes);
  }
};

/// One thread for each element (thread_per_element.hpp): each product reads both its factors.
constexpr Traffic thread_per_element() { return {.loads = 2, .operations = 2}; }

/// Tiles in shared memory (shared_tiles.hpp): one tile of A and `factor` of B for tile x tile x factor sums
/// of `tile` products.
constexpr Traffic shared_tiles(double tile, double factor) {
  return {.loads = tile * tile * (1 + factor), .operations = 2 * tile * tile * tile * factor};
}

}  // namespace tallcache::gpu::matmul
