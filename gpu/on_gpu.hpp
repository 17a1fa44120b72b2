// The base of every variant on the GPU. Compiled by nvcc, a variant launches its kernels on a device.
// Compiled by any other compiler, the same text runs on the model (common/warp/host_device.hpp).
#pragma once

#include <cstddef>
#include <limits>
#include <string>

#include "common/ceil_div.hpp"
#include "common/variant.hpp"
#include "common/warp/kernel.hpp"
#ifdef __CUDACC__
#include "gpu/launch.cuh"
#endif

namespace tallcache::gpu {

/// A grid of `blocks` blocks along x, the only direction that exceeds 65535. Throws Error beyond 2^31 - 1.
inline unsigned grid_of(Index blocks) {
  if (blocks > std::numeric_limits<int>::max())
    throw Error("a grid of " + std::to_string(blocks) + " blocks is beyond CUDA's limit of 2^31 - 1");
  return static_cast<unsigned>(blocks);
}

/// A variant is available when a device is (gpu/cuda_state.hpp). It consists of this base and
///
///   template <class Device, class Args>
///   static void call(Device& device, const Args& args, const Params& params);
///
/// which launches its kernels by launch_kernel(device, ...). A Device is CUDA's Launch, or the model's
/// warp::HostDevice with counted views in `args`.
struct OnGpu {
  static std::string unavailable();
};

/// The reason why code for compute capability major.minor alone cannot run here; empty when it can.
std::string capability_unavailable(int major, int minor);

/// The base of a variant whose code is for compute capability major.minor alone. Its line in gpu/variants.def
/// names that architecture.
template <int major, int minor>
struct OnCapability {
  static std::string unavailable() { return capability_unavailable(major, minor); }
};

/// The reason why no device gives a block `bytes` of shared memory; empty when one does.
std::string shared_memory_unavailable(std::size_t bytes);

/// The base of a variant of which a block takes up to `bytes` of shared memory.
template <std::size_t bytes>
struct OnSharedMemory {
  static std::string unavailable() { return shared_memory_unavailable(bytes); }
};

}  // namespace tallcache::gpu
