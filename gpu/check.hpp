// CUDA calls that throw, and what every kernel launch needs.
#pragma once

#include <cuda_runtime.h>

#include "common/variant.hpp"

namespace tallcache::gpu {

/// Throws Error "<file>:<line>: <call>: <what CUDA says>" unless `error` is cudaSuccess.
void check(cudaError_t error, const char* call, const char* file, int line);

#define TALLCACHE_CUDA(call) ::tallcache::gpu::check((call), #call, __FILE__, __LINE__)

/// To be called right after a launch: throws Error when the kernel could not be started.
inline void check_launch(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  check(cudaGetLastError(), "kernel launch", file, line);
}

inline cudaStream_t stream_of(const Launch& launch) { return static_cast<cudaStream_t>(launch.stream); }

/// ceil(a / b) of sizes.
constexpr Index blocks_of(Index a, Index b) { return (a + b - 1) / b; }

/// A grid of `blocks` blocks along x, the only direction that goes beyond 65535. Throws Error beyond 2^31
/// - 1.
unsigned grid_of(Index blocks);

/// Why code for compute capability major.minor alone cannot run here; empty when it can.
std::string capability_unavailable(int major, int minor);

/// What every variant on the GPU is: available when a device is (gpu/cuda_state.hpp).
struct OnGpu {
  static std::string unavailable();
};

/// What a variant is whose code is for compute capability major.minor alone; its line in gpu/variants.def
/// names that architecture.
template <int major, int minor>
struct OnCapability {
  static std::string unavailable() { return capability_unavailable(major, minor); }
};

}  // namespace tallcache::gpu
