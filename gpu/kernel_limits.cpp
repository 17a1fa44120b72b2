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
  std::map<std::pair<int, cudaDeviceAttr>, int> attributes;  // by device
  std::map<std::pair<int, const void*>, std::size_t>
      allowed_shared{};                              // by device and kernel: the most so far
  std::map<std::pair<int, int>, int> of_clusters{};  // by device and blocks: multiprocessors
  std::map<int, Tuning> tunings{};
};

// Never destroyed: kernels are launched as long as the process lives.
Known& known() {
  static auto* const facts = new Known;
  return *facts;
}

int attribute(cudaDeviceAttr which) {
  const int device = current_device();
  const std::lock_guard lock(known().mutex);
  const auto found = known().attributes.find({device, which});
  if (found != known().attributes.end()) return found->second;
  int value = 0;
  TALLCACHE_CUDA(cudaDeviceGetAttribute(&value, which, device));
  return known().attributes.emplace(std::pair{device, which}, value).first->second;
}

}  // namespace

int multiprocessors() { return attribute(cudaDevAttrMultiProcessorCount); }
int shared_bytes_of_block() { return attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin); }

int multiprocessors_of_clusters(const void* kernel, int blocks) {
  if (blocks == 1) return multiprocessors();
  if (attribute(cudaDevAttrClusterLaunch) == 0) return 0;
  const int most_bytes = shared_bytes_of_block(), device = current_device();
  {
    const std::lock_guard lock(known().mutex);
    const auto found = known().of_clusters.find({device, blocks});
    if (found != known().of_clusters.end()) return found->second;
  }
  // With all the shared memory a block has a multiprocessor alone.
  allow_dynamic_shared(kernel, most_bytes);
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {static_cast<unsigned>(blocks), 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = static_cast<unsigned>(blocks);
  config.blockDim = 32;
  config.dynamicSmemBytes = most_bytes;
  config.attrs = &cluster;
  config.numAttrs = 1;
  int clusters = 0;
  TALLCACHE_CUDA(cudaOccupancyMaxActiveClusters(&clusters, kernel, &config));
  const std::lock_guard lock(known().mutex);
  return known().of_clusters[{device, blocks}] = clusters * blocks;
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
