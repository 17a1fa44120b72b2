// The report on a GPU's requests: the model's counts beside the counters'.
#pragma once

#include <span>
#include <string>

#include "bench/show/blocks.hpp"
#include "bench/show/grid.hpp"
#include "bench/studies/misses/misses.hpp"

namespace tallcache {

/// A grid for each record. `part`: of the plan.
std::string requests_text(std::span<const Record* const>, const MissesPart& part, Style);
/// The same as a section of the page.
Blocks requests_page(std::span<const Record* const>, const MissesPart& part);

}  // namespace tallcache
