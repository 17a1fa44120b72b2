#include "gpu/nvml.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <string_view>
#include <type_traits>

namespace tallcache::gpu {
namespace {

constexpr const char* soname = "libnvidia-ml.so.1";

// NVML's interface: a function returns 0 or the number of an error.
using NvmlDevice = struct NvmlDeviceRecord*;
struct ViolationTime {
  unsigned long long reference_us, violation_ns;
};
constexpr int clock_sm = 1, clock_memory = 2;        // nvmlClockType_t
constexpr int sensor_gpu = 0;                        // nvmlTemperatureSensors_t
constexpr int policy_power = 0, policy_thermal = 1;  // nvmlPerfPolicyType_t

struct Nvml {
  int (*nvmlInit_v2)() = nullptr;
  const char* (*nvmlErrorString)(int) = nullptr;
  int (*nvmlDeviceGetHandleByPciBusId_v2)(const char*, NvmlDevice*) = nullptr;
  int (*nvmlDeviceGetClockInfo)(NvmlDevice, int clock, unsigned* mhz) = nullptr;
  int (*nvmlDeviceGetPowerUsage)(NvmlDevice, unsigned* mw) = nullptr;
  int (*nvmlDeviceGetTemperature)(NvmlDevice, int sensor, unsigned* celsius) = nullptr;
  int (*nvmlDeviceGetCurrentClocksThrottleReasons)(NvmlDevice, unsigned long long* bits) = nullptr;
  int (*nvmlDeviceGetViolationStatus)(NvmlDevice, int policy, ViolationTime*) = nullptr;
  int (*nvmlDeviceGetTotalEnergyConsumption)(NvmlDevice, unsigned long long* mj) = nullptr;
  std::string unavailable;  ///< why it cannot be used; empty when it can

  std::string words(const char* function, int error) const {
    return fmt::format("{}: {}", function, nvmlErrorString(error));
  }
};

Nvml loaded() {
  Nvml nvml;
  void* const handle = dlopen(soname, RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    nvml.unavailable = fmt::format("{} cannot be loaded", soname);
    return nvml;
  }
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, name));
  };
#define TALLCACHE_FIND(function) find(nvml.function, #function)
  TALLCACHE_FIND(nvmlInit_v2);
  TALLCACHE_FIND(nvmlErrorString);
  TALLCACHE_FIND(nvmlDeviceGetHandleByPciBusId_v2);
  TALLCACHE_FIND(nvmlDeviceGetClockInfo);
  TALLCACHE_FIND(nvmlDeviceGetPowerUsage);
  TALLCACHE_FIND(nvmlDeviceGetTemperature);
  TALLCACHE_FIND(nvmlDeviceGetCurrentClocksThrottleReasons);
  TALLCACHE_FIND(nvmlDeviceGetViolationStatus);
  TALLCACHE_FIND(nvmlDeviceGetTotalEnergyConsumption);
#undef TALLCACHE_FIND
  if (!nvml.nvmlInit_v2 || !nvml.nvmlErrorString || !nvml.nvmlDeviceGetHandleByPciBusId_v2)
    nvml.unavailable = fmt::format("{} is not NVML", soname);
  else if (const int error = nvml.nvmlInit_v2())
    nvml.unavailable = nvml.words("nvmlInit", error);
  return nvml;
}

// Never shut down: the process ends it.
const Nvml& nvml() {
  static const Nvml library = loaded();
  return library;
}

// What `function` writes behind `device` and `of`, or why it writes nothing.
template <class Value, class Function, class... Of>
Figure<Value> asked(const char* name, Function* function, NvmlDevice device, Of... of) {
  if (!function) return Figure<Value>::none(fmt::format("{} has no {}", soname, name));
  Value value{};
  if (const int error = function(device, of..., &value))
    return Figure<Value>::none(nvml().words(name, error));
  return value;
}

template <class To, class From, class Convert>
Figure<To> converted(const Figure<From>& figure, Convert&& convert) {
  return figure ? Figure<To>(convert(*figure)) : Figure<To>::none(figure.absent);
}

DeviceState state_of(NvmlDevice device) {
  const auto whole = [](unsigned value) { return static_cast<int>(value); };
  const auto clock = [&](int which) {
    return converted<int>(
        asked<unsigned>("nvmlDeviceGetClockInfo", nvml().nvmlDeviceGetClockInfo, device, which), whole);
  };
  const auto throttled = [&](int policy) {
    return converted<double>(
        asked<ViolationTime>("nvmlDeviceGetViolationStatus", nvml().nvmlDeviceGetViolationStatus, device,
                             policy),
        [](const ViolationTime& time) { return static_cast<double>(time.violation_ns) / 1e9; });
  };
  return {
      .sm_clock_mhz = clock(clock_sm),
      .memory_clock_mhz = clock(clock_memory),
      .power_w = converted<double>(
          asked<unsigned>("nvmlDeviceGetPowerUsage", nvml().nvmlDeviceGetPowerUsage, device),
          [](unsigned milliwatts) { return milliwatts / 1000.0; }),
      .temperature_c = converted<int>(
          asked<unsigned>("nvmlDeviceGetTemperature", nvml().nvmlDeviceGetTemperature, device, sensor_gpu),
          whole),
      .throttle_reasons = converted<std::vector<std::string>>(
          asked<unsigned long long>("nvmlDeviceGetCurrentClocksThrottleReasons",
                                    nvml().nvmlDeviceGetCurrentClocksThrottleReasons, device),
          throttle_names),
      .power_throttled_s = throttled(policy_power),
      .thermal_throttled_s = throttled(policy_thermal)};
}

Figure<NvmlDevice> device_at(const std::string& pci_bus_id) {
  if (!nvml().unavailable.empty()) return Figure<NvmlDevice>::none(nvml().unavailable);
  NvmlDevice device = nullptr;
  if (const int error = nvml().nvmlDeviceGetHandleByPciBusId_v2(pci_bus_id.c_str(), &device))
    return Figure<NvmlDevice>::none(nvml().words("nvmlDeviceGetHandleByPciBusId", error));
  return device;
}

}  // namespace

Figure<DeviceState> nvml_state(const std::string& pci_bus_id) {
  return converted<DeviceState>(device_at(pci_bus_id), &state_of);
}

Figure<double> nvml_joules(const std::string& pci_bus_id) {
  const Figure<NvmlDevice> device = device_at(pci_bus_id);
  if (!device) return Figure<double>::none(device.absent);
  return converted<double>(
      asked<unsigned long long>("nvmlDeviceGetTotalEnergyConsumption",
                                nvml().nvmlDeviceGetTotalEnergyConsumption, *device),
      [](unsigned long long millijoules) { return static_cast<double>(millijoules) / 1e3; });
}

std::vector<std::string> throttle_names(unsigned long long reasons) {
  constexpr std::array<std::string_view, 9> names{"gpu_idle",
                                                  "applications_clocks_setting",
                                                  "sw_power_cap",
                                                  "hw_slowdown",
                                                  "sync_boost",
                                                  "sw_thermal_slowdown",
                                                  "hw_thermal_slowdown",
                                                  "hw_power_brake_slowdown",
                                                  "display_clock_setting"};
  std::vector<std::string> active;
  for (std::size_t bit = 0; bit < 64; ++bit)
    if (reasons >> bit & 1)
      active.push_back(bit < names.size() ? std::string(names[bit]) : fmt::format("bit_{}", bit));
  return active;
}

}  // namespace tallcache::gpu
