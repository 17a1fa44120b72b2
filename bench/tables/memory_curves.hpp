// How fast a device's memory is, measured on device 0 over one condition at a time: rows that several tables
// have, and the parts of their reports.
#pragma once

#include <string_view>

#include "bench/tables/table.hpp"

namespace tallcache {

/// Cycles and nanoseconds of a dependent load: of registers and the small memories, and of global memory over
/// its footprint.
Row latency_row();
/// Bandwidth over the bytes under way on a multiprocessor; over the stride between neighbours; over the
/// occupancy, which the counters say beside the one that the resources allow.
Row in_flight_row();
Row stride_row();
Row occupancy_row();

/// A grid, a chart and findings of each. Where nothing was measured, a note has the reason.
void add_latencies(const Inputs&, std::string_view table, Report&);
void add_in_flight(const Inputs&, std::string_view table, Report&);
void add_strides(const Inputs&, std::string_view table, Report&);
void add_occupancies(const Inputs&, std::string_view table, Report&);

/// The cycles of a load of "registers", "shared memory", "local memory", "constant memory, cached" or "global
/// memory" as measured; NaN where they were not.
double measured_cycles(const Inputs&, std::string_view table, std::string_view memory);

}  // namespace tallcache
