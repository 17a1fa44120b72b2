// One memory request of one warp on the current device: each lane's address is given.
#pragma once

#include <cstdint>

#include "common/cache/requests.hpp"

namespace tallcache::test {

/// Whether the atomic is an exchange. Others are additions: of integers in 4 and 8 bytes, of four floats in 16.
/// Shared memory has none of more than 4 bytes.
constexpr bool is_exchange(const cache::WarpRequest& request) {
  return request.kind == cache::AccessKind::atomic && request.space == cache::Space::shared &&
         request.width > 4;
}

inline constexpr std::size_t request_bytes = 32768;  ///< all addresses lie below

/// Starts a kernel of one warp whose active lanes make the request once; beside it no access of that space
/// and kind. `memory`: of the device, `request_bytes` that are zero. The width is 4, 8 or 16. Throws Error when
/// it could not be started.
void start_request(const cache::WarpRequest&, std::byte* memory);

}  // namespace tallcache::test
