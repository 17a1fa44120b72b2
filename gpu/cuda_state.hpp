// What the CUDA runtime says about this machine. No CUDA header here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/measure/device_state.hpp"
#include "common/measure/machine.hpp"

namespace tallcache {

/// The devices, in CUDA's order; none where CUDA cannot count them. Throws nothing: a machine without a GPU
/// is a state, not an error. Asked of the machine once a process.
const std::vector<Device>& cuda_devices();

/// "driver 13.0, runtime 13.0", and behind it why no device is counted, if none is.
std::string cuda_versions();

/// Why a driver does not do for the runtime, both as CUDA numbers them (13000 is 13.0, driver 0 is none);
/// empty when it does. A driver serves any runtime of its own major version.
std::string driver_problem(int driver, int runtime);

/// Why the code of a build for the architectures `built_for`, as CMake names them, does not run on a device.
std::string architecture_problem(std::string_view built_for, std::string_view compute_capability);

/// Why code for one compute capability, such as "9.0", runs on none of `devices`; empty when it runs on one.
std::string capability_problem(std::string_view needed, const std::vector<Device>& devices);

/// The state of device number `device` as NVML tells it, or why it is not known.
Figure<DeviceState> cuda_device_state(int device);

/// Why no device can be used, in one line; empty when one can.
std::string cuda_unavailable();

/// Why device number `device` cannot be used: there is no such device, its driver is too old, or a kernel of
/// this build does not run on it. Empty when it can.
std::string device_unavailable(int device);

/// What is wrong with device number `device`: device_unavailable(), but for device 0 empty where there is no
/// GPU at all, which is no fault.
std::string device_fault(int device);

}  // namespace tallcache
