#include "gpu/kernel_limits.hpp"

#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "gpu/check.hpp"
#include "gpu/tuning/records.hpp"

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
  std::map<int, Tuning> tunings{};
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

const Tuning& device_tuning() {
  if (const Tuning* const of_thread = tuning_of_thread()) return *of_thread;
  int device = 0;
  if (cudaGetDevice(&device) != cudaSuccess) {  // a plan of a machine without a device
    cudaGetLastError();
    static const Tuning of_any;
    return of_any;
  }
  const std::lock_guard lock(known().mutex);
  const auto found = known().tunings.find(device);
  if (found != known().tunings.end()) return found->second;
  cudaDeviceProp facts{};
  TALLCACHE_CUDA(cudaGetDeviceProperties(&facts, device));
  const std::string capability = std::to_string(facts.major) + "." + std::to_string(facts.minor);
  return known().tunings.emplace(device, tuning_for(facts.name, capability)).first->second;
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
