// Barriers in shared memory, for which arriving and waiting are two steps. PTX ISA, "mbarrier".
#pragma once

#include <cstdint>

#include "gpu/asynchronous_copy.cuh"

namespace tallcache::gpu {

/// A phase ends when its arrivals and the bytes that it expects have come; the first is of parity 0. What
/// threads access before they arrive comes before what threads access that have waited (sm_80 and later).
struct Mbarrier {
  std::uint64_t state;

  /// By one thread, before a barrier of the whole block.
  __device__ void init(int arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\n" ::"r"(shared_address(this)), "r"(arrivals));
  }
  /// Bytes of asynchronous copies (sm_90).
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
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define TALLCACHE_TEST_PHASE "try_wait"
#else
#define TALLCACHE_TEST_PHASE "test_wait"
#endif
    asm volatile(
        "{\n.reg .pred done;\n"
        "again:\nmbarrier." TALLCACHE_TEST_PHASE
        ".parity.shared::cta.b64 done, [%0], %1;\n"
        "@!done bra again;\n}\n" ::"r"(shared_address(this)),
        "r"(parity)
        : "memory");
#undef TALLCACHE_TEST_PHASE
  }
};

}  // namespace tallcache::gpu
