// The state of a GPU as its driver's management library (NVML) tells it. No CUDA header here, and none of
// NVML's, which many toolkits lack: the few functions are declared here as the library has exported them
// since driver 390.
#pragma once

#include <string>
#include <vector>

#include "common/measure/device_state.hpp"

namespace tallcache::gpu {

/// The state of the GPU with this PCI bus id, "0000:1b:00.0"; absent with the reason when libnvidia-ml.so.1,
/// which is loaded at the first call, or the device is not there. Takes some milliseconds.
Figure<DeviceState> nvml_state(const std::string& pci_bus_id);

/// Joules that the GPU with this PCI bus id has taken since its driver was loaded; absent with the reason as
/// above. The counter is renewed some 10 to 50 times a second.
Figure<double> nvml_joules(const std::string& pci_bus_id);

/// The names of the bits of NVML's throttle reasons; "bit_<n>" of one that is not known here.
std::vector<std::string> throttle_names(unsigned long long reasons);

}  // namespace tallcache::gpu
