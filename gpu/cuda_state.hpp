// What the CUDA runtime says about this machine. Compiled only where TALLCACHE_HAS_CUDA is on; no CUDA header
// here.
#pragma once

#include <string>

namespace tallcache {

/// One line: "driver 13.0, runtime 13.0, 1 device: NVIDIA H200 (9.0, 132 SMs, 151 GB)", or the versions and
/// why no device can be used: "driver none, runtime 13.0, no device: ...". A device counts when a kernel ran
/// on it. Throws nothing: a machine without a GPU is a state, not an error.
std::string cuda_state();

/// Why no device can be used, in one line; empty when one can. Asked of the machine once a process.
std::string cuda_unavailable();

/// Why device number `device` cannot be used: there is no such device, its driver is too old, or a kernel of
/// this build does not run on it. Empty when it can.
std::string device_unavailable(int device);

/// The number of devices that CUDA counts; 0 where it cannot count.
int device_count();

}  // namespace tallcache
