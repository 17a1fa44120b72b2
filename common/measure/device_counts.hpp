// What a device's own counters count.
#pragma once

#include <functional>
#include <string_view>

#include "common/measure/machine.hpp"

namespace tallcache {

/// A count of everything that a run did on a device; absent with the reason where it cannot be counted.
struct DeviceCount {
  std::string_view quantity, unit;  ///< "global load sectors", "1"
  std::string_view event;           ///< the counter's name
  Figure<double> value;
};

/// What is counted. It is called several times, as not all counters count at once.
struct CountedRun {
  std::function<void()> run;
  std::function<void()> prepare = {};  ///< called before each, and not counted
};

}  // namespace tallcache
