// The report on a GPU's requests: the model's counts beside the counters'.
#pragma once

#include <span>
#include <string>

#include "bench/results/document.hpp"
#include "bench/show/grid.hpp"
#include "bench/show/page.hpp"

namespace tallcache {

/// A grid for each record. `part`: of the plan.
std::string requests_text(std::span<const Record* const>, const Json& part, Style);
/// The same as a section of the page.
Blocks requests_page(std::span<const Record* const>, const Json& part);

}  // namespace tallcache
