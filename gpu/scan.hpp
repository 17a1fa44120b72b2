// Prefix sums on the device, by CUB: no algorithm of the seeds, but what several of them need.
#pragma once

#include <cstdint>
#include <span>

#include "gpu/check.hpp"

namespace tallcache::gpu {

/// The bytes of scratch that exclusive_scan of `size` counts takes. Needs a device.
std::size_t scan_bytes(Index size);

/// counts[i] = counts[0] + ... + counts[i - 1], in place. Asynchronous.
void exclusive_scan(VectorView<std::uint32_t> counts, VectorView<std::byte> scratch, const Launch&);

}  // namespace tallcache::gpu
