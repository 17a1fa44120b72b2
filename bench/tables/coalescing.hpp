// What the table coalescing-exercise counts beside foo_kernel.
#pragma once

#include <string_view>
#include <vector>

#include "bench/results/record.hpp"

namespace tallcache::coalescing {

/// The transactions of a request, and the least, of each access of the table's "verdicts".
std::vector<Record> count_verdicts(std::string_view table);

/// Sectors a request of the tiled product's loads over the size of its block.
std::vector<Record> count_block_sizes();

/// The table's exercises.
std::vector<Record> answer(std::string_view table);

}  // namespace tallcache::coalescing
