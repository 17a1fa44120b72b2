// The memory requests of a GPU's variants: the request model's counts beside those of the device's counters.
//
//   global load requests, global load sectors, ... shared atomic wavefronts     model and event
//   L2 sectors, L2 hit rate, DRAM bytes read and written                        model (an LRU) and event
//   instructions, achieved occupancy, busiest and mean slices and channels      event
//
// PAPI reads the first line's as software-defined events: sde:::tallcache::GPU_GLOBAL_LOAD_SECTORS is the
// model's, sde:::tallcache::DEVICE_GLOBAL_LOAD_SECTORS the counters'.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "bench/results/document.hpp"
#include "common/cache/warp_machine.hpp"

namespace tallcache {

/// Counts the candidates, which are on a device: all by the counters of device number `device`, which take
/// milliseconds, and then each by the model of `machine`, which takes seconds for tens of millions of
/// accesses. A count that there is not has the reason. `keep` is called whenever the document has more.
void count_requests(const Problem&, std::span<const Candidate>, const cache::WarpMachine& machine, int device,
                    Document&, const std::function<void()>& keep);

}  // namespace tallcache
