// The report on a GPU's requests: the model's counts beside the counters'.
#pragma once

#include <span>
#include <string>

#include "bench/report/document.hpp"
#include "bench/report/grid.hpp"
#include "bench/report/page.hpp"

namespace tallcache {

/// A grid for each record. `part`: of the plan.
std::string requests_text(std::span<const Record* const>, const Json& part, Style);
/// The same as a section of the page.
Blocks requests_page(std::span<const Record* const>, const Json& part);

}  // namespace tallcache
