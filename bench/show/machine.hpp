// The report of a machine document: the machine, and the limits that were measured.
#pragma once

#include <span>
#include <string>

#include "bench/show/blocks.hpp"

namespace tallcache {

/// Peaks, bandwidths and balance of the CPU, and the GPU's limits or the reason why there are none.
std::string limits_text(std::span<const Record> limits);

/// The machine and its limits for the page, from any document of it.
Blocks machine_blocks(const Document&);

}  // namespace tallcache
