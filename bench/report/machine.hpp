// The report of a machine document: what the machine is, and what was measured that it can reach.
#pragma once

#include <span>
#include <string>

#include "bench/report/record.hpp"

namespace tallcache {

/// Peaks, bandwidths and balance of the CPU, and what the GPU reaches or why it does not.
std::string limits_text(std::span<const Record> limits);

}  // namespace tallcache
