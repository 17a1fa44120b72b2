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

std::string OnGpu::unavailable() { return cuda_unavailable(); }

}  // namespace tallcache::gpu
