// Kernels whose blocks are all on the device at once, and a barrier of all of them: the number of levels of a
// search is known on the device alone, so that one kernel runs them all.
#pragma once

#include "gpu/on_gpu.hpp"

namespace tallcache::gpu::bfs {

inline __device__ unsigned load_acquire(const unsigned* at) {
  unsigned value;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
  return value;
}
inline __device__ void add_release(unsigned* at, unsigned value) {
  asm volatile("red.release.gpu.global.add.u32 [%0], %1;" ::"l"(at), "r"(value) : "memory");
}

/// A barrier of all threads of a cooperative launch, on a word of memory that was 0 before it. What a thread
/// wrote before is there for all behind it.
class GridBarrier {
 public:
  explicit __device__ GridBarrier(unsigned* arrived) : arrived_(arrived) {}

  __device__ void wait() {
    __syncthreads();
    all_ += gridDim.x;
    if (threadIdx.x == 0) {
      add_release(arrived_, 1);
      // The count may pass 2^32: what tells early from late is the sign of the difference.
      while (static_cast<int>(load_acquire(arrived_) - all_) < 0) {
      }
    }
    __syncthreads();
  }

 private:
  unsigned* arrived_;
  unsigned all_ = 0;
};

/// Starts kernel(args...) with as many blocks of `threads` threads and `shared` bytes of dynamic shared
/// memory as the device holds at once, `most` at
/// most. Throws Error when it could not be started.
template <class... Args>
void launch_resident(const Launch& launch, void (*kernel)(Args...), int threads, std::size_t shared,
                     Index most, const std::type_identity_t<Args>&... args) {
  if (shared) allow_dynamic_shared(reinterpret_cast<const void*>(kernel), shared);
  int blocks = 0;
  TALLCACHE_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, shared));
  cudaLaunchAttribute cooperative{};
  cooperative.id = cudaLaunchAttributeCooperative;
  cooperative.val.cooperative = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(
      static_cast<unsigned>(std::max<Index>(1, std::min<Index>(most, Index{blocks} * multiprocessors()))));
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.dynamicSmemBytes = shared;
  config.stream = stream_of(launch);
  config.attrs = &cooperative;
  config.numAttrs = 1;
  TALLCACHE_CUDA(cudaLaunchKernelEx(&config, kernel, args...));
}

}  // namespace tallcache::gpu::bfs
