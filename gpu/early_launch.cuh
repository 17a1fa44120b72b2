// Kernels' texts that may start before the one before them has ended (common/warp/kernel.hpp), on the device.
#pragma once

#include "gpu/dependent_launch.cuh"
#include "gpu/launch.cuh"

namespace tallcache::gpu {

__device__ inline void wait_for_last_kernel(DeviceThread) { wait_for_last_kernel(); }
__device__ inline void let_next_kernel_start(DeviceThread) { let_next_kernel_start(); }

}  // namespace tallcache::gpu

namespace tallcache {

/// As launch_kernel, of a kernel that may start before the one before it in the stream has ended.
template <class Kernel, class... Args>
void launch_early(const Launch& launch, const Kernel&, const LaunchShape& shape, const Args&... args) {
  const auto entry = gpu::entry_of<Kernel, Args...>();
  if constexpr (requires { Kernel::max_dynamic_shared_bytes; })
    gpu::allow_dynamic_shared(reinterpret_cast<const void*>(entry), Kernel::max_dynamic_shared_bytes,
                              shape.file, shape.line);
  gpu::launch_dependent(entry, dim3(shape.grid.x, shape.grid.y, shape.grid.z),
                        dim3(shape.block.x, shape.block.y, shape.block.z), shape.dynamic_shared,
                        gpu::stream_of(launch), args...);
}

}  // namespace tallcache
