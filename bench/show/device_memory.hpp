// What a device's memory moved for a run, as its own counters have it.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/results/record.hpp"
#include "bench/show/grid.hpp"

namespace tallcache {

/// The quantities of a DeviceCount that are counted for it; the hit rate follows from the sectors.
inline constexpr std::array<std::string_view, 3> device_memory_counts{"DRAM bytes read", "DRAM bytes written",
                                                                      "L2 sectors hit"};

/// Whether one of the records was counted; null ones are passed over.
bool has_memory_counts(std::span<const Record* const>);

/// Two columns: the bytes of device memory over those that the problem has to move, and the second-level
/// cache's hit rate.
void add_memory_columns(Grid&);
/// Their cells for a record, which may be null.
void add_memory_cells(std::vector<std::string>& row, const Record*);

}  // namespace tallcache
