// DeviceState: what a device did at one moment, to be held beside what was measured on it.
#pragma once

#include <string>
#include <vector>

#include "common/measure/machine.hpp"

namespace tallcache {

/// Each figure is absent with the reason where the device's driver does not tell it.
struct DeviceState {
  Figure<int> sm_clock_mhz, memory_clock_mhz;
  Figure<double> power_w;
  Figure<int> temperature_c;  ///< degrees Celsius
  /// What holds its clocks down at this moment, under the driver's names with words parted by '_':
  /// "sw_power_cap"; also "gpu_idle" and "applications_clocks_setting", which are no throttling.
  Figure<std::vector<std::string>> throttle_reasons;
  /// How long its power limit and its temperature have held the clocks down since the driver was loaded: what
  /// they did during a measurement is the difference of two states.
  Figure<double> power_throttled_s, thermal_throttled_s;
  friend bool operator==(const DeviceState&, const DeviceState&) = default;
};

}  // namespace tallcache
