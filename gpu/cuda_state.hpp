// The CUDA runtime's view of this machine. No CUDA header is included here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/measure/device_state.hpp"
#include "common/measure/machine.hpp"

namespace tallcache {

/// The devices in CUDA's order; empty where CUDA cannot count them. Does not throw: a machine without a GPU
/// is not an error. The machine is queried once for the process.
const std::vector<Device>& cuda_devices();

/// "driver 13.0, runtime 13.0", followed by the reason when no device is counted.
std::string cuda_versions();

/// The reason why a driver does not support the runtime, both as CUDA numbers them (13000 is 13.0, driver 0
/// is none); empty when it does. A driver supports any runtime of its own major version.
std::string driver_error(int driver, int runtime);

/// The reason why the code of a build for the architectures `built_for`, as CMake names them, does not run on
/// a device.
std::string architecture_error(std::string_view built_for, std::string_view compute_capability);

/// The reason why code for one compute capability, such as "9.0", runs on none of `devices`; empty when it
/// runs on one.
std::string capability_error(std::string_view needed, const std::vector<Device>& devices);

/// The state of device number `device` by NVML, or the reason why it is not known.
Figure<DeviceState> cuda_device_state(int device);

/// The joules that it has taken since its driver was loaded, or why they are not known.
Figure<double> cuda_device_joules(int device);

/// The reason why no device can be used, in one line; empty when one can.
std::string cuda_unavailable();

/// The reason why device number `device` cannot be used: there is no such device, its driver is too old, or a
/// kernel of this build does not run on it. Empty when it can.
std::string device_unavailable(int device);

/// The error of device number `device`: device_unavailable(), but empty for device 0 where there is no GPU at
/// all, which is not an error.
std::string device_fault(int device);

}  // namespace tallcache
