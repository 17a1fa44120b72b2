// One memory request of one warp on the current device: each lane's address is given.
#pragma once

#include <cstdint>

#include "common/cache/requests.hpp"

namespace tallcache::test {

/// Whether the lanes of an atomic on one address go one by one: those of shared memory whose old value is
/// needed do, additions of 4 bytes and exchanges of more alike. Global atomics are additions: of integers in
/// 4 and 8 bytes, of four floats in 16.
constexpr bool is_exchange(const cache::WarpRequest& request) {
  return request.kind == cache::AccessKind::atomic && request.space == cache::Space::shared;
}

inline constexpr std::size_t request_bytes = 32768;  ///< all addresses lie below

/// Starts a kernel of one warp whose active lanes make the request once; beside it no access of that space
/// and kind. `memory`: of the device, `request_bytes` that are zero. The width is 4, 8 or 16. Throws Error
/// when it could not be started.
void start_request(const cache::WarpRequest&, std::byte* memory);

}  // namespace tallcache::test
