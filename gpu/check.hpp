// CUDA calls that throw.
#pragma once

#include <cuda_runtime.h>

#include "common/variant.hpp"

namespace tallcache::gpu {

/// Throws Error "<file>:<line>: <call>: <what CUDA says>" unless `error` is cudaSuccess.
void check(cudaError_t error, const char* call, const char* file, int line);

#define TALLCACHE_CUDA(call) ::tallcache::gpu::check((call), #call, __FILE__, __LINE__)

/// Must be called right after a launch. Throws Error when the kernel could not be started.
inline void check_launch(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  check(cudaGetLastError(), "kernel launch", file, line);
}

inline cudaStream_t stream_of(const Launch& launch) { return static_cast<cudaStream_t>(launch.stream); }

}  // namespace tallcache::gpu
