// The memory requests of a GPU's variants: the request model's counts beside those of the device's counters.
//
//   global load requests, global load sectors, ... shared store wavefronts      model and event
//   instructions, L2 hit rate, DRAM bytes read, achieved occupancy, ...          event
#pragma once

#include <span>
#include <string_view>

#include "bench/report/document.hpp"
#include "common/cache/warp_machine.hpp"

namespace tallcache {

/// Counts the candidates, which are on a device, by the model of `machine` and by the counters of device
/// number `device`. A count that there is not has the reason.
void count_requests(const Problem&, std::span<const Candidate>, const cache::WarpMachine& machine, int device,
                    Document&);

}  // namespace tallcache
