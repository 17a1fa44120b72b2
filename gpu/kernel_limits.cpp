#include "gpu/kernel_limits.hpp"

#include <map>
#include <mutex>
#include <utility>

#include "gpu/check.hpp"

namespace tallcache::gpu {
namespace {

int current_device() {
  int device = 0;
  TALLCACHE_CUDA(cudaGetDevice(&device));
  return device;
}

struct Known {
  std::mutex mutex;
  std::map<int, int> multiprocessors;  // by device
  std::map<std::pair<int, const void*>, std::size_t>
      allowed_shared{};  // by device and kernel: the most so far
};

// Never destroyed: kernels are launched as long as the process lives.
Known& known() {
  static auto* const facts = new Known;
  return *facts;
}

}  // namespace

int multiprocessors() {
  const int device = current_device();
  const std::lock_guard lock(known().mutex);
  int& number = known().multiprocessors[device];
  if (number == 0) TALLCACHE_CUDA(cudaDeviceGetAttribute(&number, cudaDevAttrMultiProcessorCount, device));
  return number;
}

void allow_dynamic_shared(const void* kernel, std::size_t bytes, const char* file, int line) {
  const int device = current_device();
  const std::lock_guard lock(known().mutex);
  std::size_t& allowed = known().allowed_shared[{device, kernel}];
  if (bytes <= allowed) return;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)),
        "cudaFuncSetAttribute", file, line);
  allowed = bytes;
}

}  // namespace tallcache::gpu
