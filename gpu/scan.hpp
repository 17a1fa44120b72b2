// Prefix sums on the device, by CUB. They are no algorithm of the texts, but several of those need them.
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>

#include "common/variant.hpp"

namespace tallcache::gpu {

/// The bytes of scratch of exclusive_scan of `size` counts. Needs a device.
std::size_t scan_bytes(Index size);

/// counts[i] = counts[0] + ... + counts[i - 1], in place. Asynchronous.
void exclusive_scan(const Launch&, VectorView<std::uint32_t> counts, VectorView<std::byte> scratch);

/// The bytes of scratch of a variant's prefix sums. None on the model, which computes them on the host.
template <class Device>
std::size_t scan_bytes(Index size) {
  if constexpr (std::is_same_v<std::remove_const_t<Device>, Launch>)
    return scan_bytes(size);
  else
    return 0;
}

}  // namespace tallcache::gpu
