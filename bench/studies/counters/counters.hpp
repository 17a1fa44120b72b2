// The counts of `tallcache counters`, as text.
#pragma once

#include <string>

#include "bench/results/document.hpp"
#include "bench/show/grid.hpp"

namespace tallcache {

/// One part of the document's plan: a row for each event, a column for each variant, and below them the
/// events that were not counted, by reason.
std::string counters_text(const Document&, const Json& part, Style);

}  // namespace tallcache
