#include "gpu/check.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "gpu/cuda_state.hpp"
#include "gpu/on_gpu.hpp"

namespace tallcache::gpu {

void check(cudaError_t error, const char* call, const char* file, int line) {
  if (error == cudaSuccess) return;
  cudaGetLastError();  // clears an error that is not of the device's state, so that it is reported once
  const std::filesystem::path path(file);
  throw Error(fmt::format("{}/{}:{}: {}: {} ({})", path.parent_path().filename().string(),
                          path.filename().string(), line, call, cudaGetErrorString(error),
                          cudaGetErrorName(error)));
}

std::string capability_unavailable(int major, int minor) {
  std::string reason = cuda_unavailable();
  return reason.empty() ? capability_error(fmt::format("{}.{}", major, minor), cuda_devices()) : reason;
}

std::string shared_memory_unavailable(std::size_t bytes) {
  std::string reason = cuda_unavailable();
  if (!reason.empty()) return reason;
  for (int device = 0; device < static_cast<int>(cuda_devices().size()); ++device) {
    if (!cuda_devices()[device].unusable.empty()) continue;
    int most = 0;
    TALLCACHE_CUDA(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    if (static_cast<std::size_t>(most) >= bytes) return {};
    if (reason.empty())
      reason = fmt::format("a block takes {} KiB of shared memory; {} gives it {} KiB", bytes / 1024,
                           cuda_devices()[device].name, most / 1024);
  }
  return reason;
}

std::string OnGpu::unavailable() { return cuda_unavailable(); }

}  // namespace tallcache::gpu
