// Copies from global to shared memory that run beside the arithmetic (sm_80 and later).
#pragma once

#include <cstdint>

namespace tallcache::gpu {

/// Where `place` lies in the block's shared memory.
__device__ __forceinline__ std::uint32_t shared_address(const void* place) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(place));
}

/// Starts a copy of `width` bytes, 4, 8 or 16, to the shared address `to`. Of these, those from `bytes` on
/// become zero.
template <int width>
__device__ __forceinline__ void copy_asynchronously(std::uint32_t to, const void* from, int bytes) {
#ifdef __CUDA_ARCH__
  if constexpr (width == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;\n" ::"r"(to), "l"(from), "r"(bytes));
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;\n" ::"r"(to), "l"(from), "n"(width),
                 "r"(bytes));
#endif
}
template <int width>
__device__ __forceinline__ void copy_asynchronously(std::uint32_t to, const void* from) {
#ifdef __CUDA_ARCH__
  if constexpr (width == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(to), "l"(from));
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;\n" ::"r"(to), "l"(from), "n"(width));
#endif
}

/// Ends a group of copies.
__device__ __forceinline__ void commit_copies() {
#ifdef __CUDA_ARCH__
  asm volatile("cp.async.commit_group;\n");
#endif
}

/// Waits until all of this thread's groups but the last `pending` have arrived.
template <int pending>
__device__ __forceinline__ void wait_for_copies() {
#ifdef __CUDA_ARCH__
  asm volatile("cp.async.wait_group %0;\n" ::"n"(pending) : "memory");
#endif
}

}  // namespace tallcache::gpu
