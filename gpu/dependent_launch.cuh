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
/// wait_for_last_kernel() in all threads before it touches what that one reads or writes. `cluster` blocks,
/// up to 8, are a cluster. Throws Error when it could not be started.
template <class... Params, class... Args>
void launch_dependent_clusters(void (*kernel)(Params...), unsigned cluster, dim3 blocks, dim3 threads,
                               std::size_t shared_bytes, cudaStream_t stream, const Args&... args) {
  cudaLaunchAttribute attributes[2]{};
  attributes[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attributes[0].val.programmaticStreamSerializationAllowed = 1;
  attributes[1].id = cudaLaunchAttributeClusterDimension;
  attributes[1].val.clusterDim = {cluster, 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = blocks;
  config.blockDim = threads;
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  config.attrs = attributes;
  config.numAttrs = cluster > 1 ? 2 : 1;
  TALLCACHE_CUDA(cudaLaunchKernelEx(&config, kernel, static_cast<Params>(args)...));
}
/// The same of blocks alone.
template <class... Params, class... Args>
void launch_dependent(void (*kernel)(Params...), dim3 blocks, dim3 threads, std::size_t shared_bytes,
                      cudaStream_t stream, const Args&... args) {
  launch_dependent_clusters(kernel, 1, blocks, threads, shared_bytes, stream, args...);
}

}  // namespace tallcache::gpu
