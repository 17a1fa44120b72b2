#include "gpu/scan.hpp"

#include <cub/device/device_scan.cuh>

#include "gpu/check.hpp"

namespace tallcache::gpu {

std::size_t scan_bytes(Index size) {
  std::size_t bytes = 0;
  std::uint32_t* none = nullptr;
  TALLCACHE_CUDA(cub::DeviceScan::ExclusiveSum(nullptr, bytes, none, none, size));
  return bytes;
}

void exclusive_scan(const Launch& launch, VectorView<std::uint32_t> counts, VectorView<std::byte> scratch) {
  if (counts.size == 0) return;
  std::size_t bytes = static_cast<std::size_t>(scratch.size);
  TALLCACHE_CUDA(cub::DeviceScan::ExclusiveSum(scratch.data, bytes, counts.data, counts.data, counts.size,
                                               stream_of(launch)));
}

}  // namespace tallcache::gpu
