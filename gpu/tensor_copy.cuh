// Hopper's bulk copies of tiles to shared memory (TMA), which complete on barriers. CUDA Driver API,
// "Tensor Map Object Management"; PTX ISA, "cp.async.bulk.tensor".
#pragma once

#include <cuda.h>

#include <cstdint>

#include "gpu/mbarrier.cuh"

namespace tallcache::gpu {

__device__ __forceinline__ void fence_barrier_init() {
  asm volatile("fence.mbarrier_init.release.cluster;\n" ::: "memory");
}

/// Starts loading the description itself, which the first copy would wait for.
__device__ __forceinline__ void prefetch(const CUtensorMap& map) {
  asm volatile("prefetch.tensormap [%0];\n" ::"l"(reinterpret_cast<std::uint64_t>(&map)) : "memory");
}

/// Starts copying the box of `map` at (row, col) to shared memory.
__device__ __forceinline__ void copy_box(void* to, const CUtensorMap& map, int row, int col,
                                         Mbarrier& barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], "
      "[%2];\n" ::"r"(shared_address(to)),
      "l"(reinterpret_cast<std::uint64_t>(&map)), "r"(shared_address(&barrier)), "r"(col), "r"(row)
      : "memory");
}

/// Starts copying a box from shared memory to that of `map` at (row, col). What lies outside the matrix is
/// not stored, but for the rest of a row's last 16 bytes. The stores to the box, of this and other threads,
/// come first, by fence_stores_for_products() in each and a barrier.
__device__ __forceinline__ void store_box(const CUtensorMap& map, int row, int col, const void* from) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];\n" ::"l"(
                   reinterpret_cast<std::uint64_t>(&map)),
               "r"(col), "r"(row), "r"(shared_address(from))
               : "memory");
}
/// Ends a group of the thread's stores of boxes.
__device__ __forceinline__ void commit_boxes() { asm volatile("cp.async.bulk.commit_group;\n" ::: "memory"); }
/// Waits until the boxes of all of the thread's groups but the last `pending` have been read.
template <int pending>
__device__ __forceinline__ void wait_for_boxes_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;\n" ::"n"(pending) : "memory");
}

}  // namespace tallcache::gpu
