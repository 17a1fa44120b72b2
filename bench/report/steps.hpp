// Where the time goes: what each step from the textbook's text to the fastest variant brought, as
// `tallcache steps` measured it. A part of the plan is
//   {"operation", "element", "backend", "shape", "unit", "limit": what the machine's limit is called,
//    "unit_bytes": the least that a unit of the result moves, where memory is what is counted,
//    "steps": [{"label", "variant", "params", "threads", "peer", "bytes": that it moves for a unit}]}
#pragma once

#include "bench/report/document.hpp"
#include "bench/report/grid.hpp"

namespace tallcache {

/// One part of the plan as a table: a row a step, each over the one before; the libraries' are built on by
/// none.
Grid steps_grid(const Document&, const Json& part);

}  // namespace tallcache
