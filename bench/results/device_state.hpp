// The state of the devices that took part in a document, before and after its measurements. Its context has
// it as
//   "device_state": [{"backend", "device", "before", "after"}]
// where a state is the JSON of a DeviceState, or {"absent": reason}. Without a device there is no such key.
#pragma once

#include <string>
#include <string_view>

#include "bench/results/document.hpp"
#include "common/measure/device_state.hpp"

namespace tallcache {

/// Adds the states of device number `device` of a backend to the context.
void put_device_state(Document&, std::string_view backend, int device, const Figure<DeviceState>& before,
                      const Figure<DeviceState>& after);

/// A line a device: "gpu 0: SM clock 345 -> 1980 MHz, ..., not throttled"; empty when no device took part.
std::string device_state_text(const Document&);

/// "gpu 0 was throttled (sw_power_cap; its power limit for 0.31 s)"; empty when no device is known to have
/// been.
std::string throttling_text(const Document&);

}  // namespace tallcache
