// Hopper's bulk copies of tiles to shared memory (TMA), and the barriers that they complete on. CUDA Driver
// API, "Tensor Map Object Management"; PTX ISA, "cp.async.bulk.tensor", "mbarrier".
#pragma once

#include <cuda.h>

#include <cstdint>

#include "gpu/asynchronous_copy.cuh"

namespace tallcache::gpu {

/// A barrier in shared memory. A phase ends when its arrivals and the bytes that it expects have come.
struct CopyBarrier {
  std::uint64_t state;

  __device__ void init(int arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\n" ::"r"(shared_address(this)), "r"(arrivals));
  }
  __device__ void arrive_expecting(int bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;\n" ::"r"(shared_address(this)),
                 "r"(bytes)
                 : "memory");
  }
  __device__ void arrive() {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];\n" ::"r"(shared_address(this)) : "memory");
  }
  /// Waits for the end of a phase of this parity.
  __device__ void wait(int parity) {
    asm volatile(
        "{\n.reg .pred done;\n"
        "again:\nmbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
        "@!done bra again;\n}\n" ::"r"(shared_address(this)),
        "r"(parity)
        : "memory");
  }
};

__device__ __forceinline__ void fence_barrier_init() {
  asm volatile("fence.mbarrier_init.release.cluster;\n" ::: "memory");
}

/// Starts copying the box of `map` at (row, col) to shared memory.
__device__ __forceinline__ void copy_box(void* to, const CUtensorMap& map, int row, int col,
                                         CopyBarrier& barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], "
      "[%2];\n" ::"r"(shared_address(to)),
      "l"(reinterpret_cast<std::uint64_t>(&map)), "r"(shared_address(&barrier)), "r"(col), "r"(row)
      : "memory");
}

/// Starts copying a box from shared memory to that of `map` at (row, col). What lies outside the matrix is not
/// stored, but for the rest of a row's last 16 bytes. The stores to the box, of this and other threads, come
/// first, by fence_stores_for_products() in each and a barrier.
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
