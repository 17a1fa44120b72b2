// Where the time goes: the gain of each step from the textbook's text to the fastest variant, as `tallcache
// steps` measured it. A part of the plan is
//
//   {"operation", "element", "backend", "shape", "unit",
//    "limit": the name of the machine's limit,
//    "unit_bytes": the minimum bytes moved for a unit of the result, where memory is the limit,
//    "steps": [{"label", "variant", "params", "threads", "peer", "bytes": moved for a unit}]}
#pragma once

#include "bench/report/document.hpp"
#include "bench/report/grid.hpp"

namespace tallcache {

/// One part of the plan as a table. Each row is a step, compared with the one before of its error class. No
/// step builds on a library's, or on one of another class than the first's, which its row names.
Grid steps_grid(const Document&, const Json& part);

}  // namespace tallcache
