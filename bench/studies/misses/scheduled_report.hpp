// The report on misses in private caches: what they are over one cache's, beside the bounds.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bench/show/blocks.hpp"
#include "bench/show/grid.hpp"
#include "bench/studies/misses/misses.hpp"

namespace tallcache {

/// A grid for each record. `part`: of the plan, with a scheduled part.
std::string scheduled_text(std::span<const Record* const>, const MissesPart& part, Style);
/// The same as a section of the page, with two charts of each record.
Blocks scheduled_page(std::span<const Record* const>, const MissesPart& part);
/// Of each measured record Q_P over the cache's size, a line for each P, and Q_P - Q_1 over P, a line for
/// each size, with Z/L for each deviation dotted. Of the first scheduler.
std::vector<Chart> scheduled_charts(std::span<const Record* const>, const MissesPart& part);

}  // namespace tallcache
