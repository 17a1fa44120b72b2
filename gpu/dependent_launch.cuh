// Kernels that start while the one before them ends. CUDA C++ Programming Guide, "Programmatic Dependent
// Launch and Synchronization"; compute capability 9.0 and later.
#pragma once

#include "gpu/check.hpp"

namespace tallcache::gpu {

/// Once all blocks of this kernel have said so or ended, the next one's start where there is room.
inline __device__ void let_next_kernel_start() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
#endif
}

/// Until the kernel before has ended, and what it wrote can be read.
inline __device__ void wait_for_last_kernel() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/// Launches a kernel that may start before the one before it in `stream` has ended. It must call
/// wait_for_last_kernel() in all threads before it touches what that one reads or writes. Throws Error when
/// it could not be started.
template <class... Params, class... Args>
void launch_dependent(void (*kernel)(Params...), unsigned blocks, unsigned threads, std::size_t shared_bytes,
                      cudaStream_t stream, const Args&... args) {
  cudaLaunchAttribute may_start_early{};
  may_start_early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  may_start_early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = blocks;
  config.blockDim = threads;
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  config.attrs = &may_start_early;
  config.numAttrs = 1;
  TALLCACHE_CUDA(cudaLaunchKernelEx(&config, kernel, static_cast<Params>(args)...));
}

}  // namespace tallcache::gpu
