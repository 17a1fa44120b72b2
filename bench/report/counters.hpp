// What `tallcache counters` counted, as text.
#pragma once

#include <string>

#include "bench/report/document.hpp"
#include "bench/report/grid.hpp"

namespace tallcache {

/// One part of the document's plan: an event a row, a variant a column, and below them what was not counted,
/// by reason.
std::string counters_text(const Document&, const Json& part, Style);

}  // namespace tallcache
