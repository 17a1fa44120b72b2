// The smallest kernel. It tests whether code of this build runs on a device.
#pragma once

namespace tallcache::gpu {

inline constexpr int probe_token = 0x7a11cac4;

/// Starts one thread on the current device that writes probe_token to `out`, device memory. Asynchronous; an
/// error of the launch is cudaGetLastError()'s.
void launch_probe(int* out);

}  // namespace tallcache::gpu
