// Latencies and bandwidths of a GPU's memories. No CUDA header here.
#pragma once

#include <memory>

#include "common/measure/memory_probes.hpp"

namespace tallcache::gpu {

/// Takes 4 GiB of the memory of device number `device`. Throws Error with the reason when it cannot be used.
std::unique_ptr<MemoryProbes> memory_probes(int device);

}  // namespace tallcache::gpu
