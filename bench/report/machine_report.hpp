// The machine and its limits as text for people.
#pragma once

#include <string>

#include "common/measure/machine.hpp"
#include "common/measure/machine_limits.hpp"

namespace tallcache {

/// What the machine is: aligned lines, the caches as a tree, the counters with their reasons.
std::string report(const Machine&);

/// Peaks, bandwidths and balance as tables.
std::string report(const Limits&);

}  // namespace tallcache
