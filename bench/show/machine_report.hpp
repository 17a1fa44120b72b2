// The machine and its limits as readable text.
#pragma once

#include <string>

#include "common/measure/machine.hpp"
#include "common/measure/machine_limits.hpp"

namespace tallcache {

/// The machine: aligned lines, the caches as a tree, the counters with their reasons.
std::string report(const Machine&);

/// Peaks, bandwidths and balance as tables.
std::string report(const Limits&);

}  // namespace tallcache
