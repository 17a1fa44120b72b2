// Kernels that follow one another: each may start while the one before it ends, and may be one cluster of
// blocks.
#pragma once

#include <set>

#include "gpu/dependent_launch.cuh"
#include "gpu/kernel_limits.hpp"

namespace tallcache::gpu::lu {

/// The grid of a kernel. `cluster` blocks are a cluster.
struct ChainedShape {
  unsigned blocks, threads;
  std::size_t shared_bytes = 0;
  unsigned cluster = 1;
};

/// Sets what `kernel` needs on the current device, once. 16 blocks a cluster are not portable.
template <auto kernel>
void allow_large_clusters() {
  static std::set<int> allowed;
  int device = 0;
  TALLCACHE_CUDA(cudaGetDevice(&device));
  if (!allowed.insert(device).second) return;
  TALLCACHE_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
}

/// Launches `kernel`, which must call wait_for_last_kernel() before it touches what the one before it in
/// `stream` reads or writes. Throws Error when it could not be started.
template <auto kernel, class... Args>
void launch_chained(cudaStream_t stream, const ChainedShape& shape, const Args&... args) {
  if (shape.shared_bytes > 32 * 1024)  // up to 16 KB more are a kernel's own
    allow_dynamic_shared(reinterpret_cast<const void*>(kernel), shape.shared_bytes);
  if (shape.cluster > 8) allow_large_clusters<kernel>();
  cudaLaunchAttribute attributes[2]{};
  attributes[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attributes[0].val.programmaticStreamSerializationAllowed = 1;
  attributes[1].id = cudaLaunchAttributeClusterDimension;
  attributes[1].val.clusterDim = {shape.cluster, 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = shape.blocks;
  config.blockDim = shape.threads;
  config.dynamicSmemBytes = shape.shared_bytes;
  config.stream = stream;
  config.attrs = attributes;
  config.numAttrs = shape.cluster > 1 ? 2 : 1;
  [&]<class... Params>(void (*entry)(Params...)) {
    TALLCACHE_CUDA(cudaLaunchKernelEx(&config, entry, static_cast<Params>(args)...));
  }(kernel);
}

}  // namespace tallcache::gpu::lu
