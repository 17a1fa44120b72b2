// Partition camping: how a transposition's blocks load the partitions of a GTX 280's memory.
#pragma once

#include <string_view>
#include <vector>

#include "bench/tables/table.hpp"

namespace tallcache {

/// A row of a table that counts it: the kernels' own text, 2048 x 2048 floats, as many blocks at a time as
/// the GTX 280 holds.
Row camping_row();

/// The grid of them beside what the text measured, and the finding that those which camp are the slow ones.
void add_camping(const Inputs&, std::string_view table, Report&);

}  // namespace tallcache
