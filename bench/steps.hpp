// Where the time goes: from the textbook's loops to the fastest variant, what each step brought, as
// `tallcache steps` measured it:
//   {"context", "limits", "steps": [{"operation", "element", "shape", "unit", "rate", "lines": [{"step",
//   "bytes_moved",
//    "of", "share_of_limit", "share_of_bandwidth", and a record of bench/json.hpp}]}]}
#pragma once

#include "bench/json.hpp"
#include "bench/report/grid.hpp"

namespace tallcache {

/// One of the document's steps as a table.
Grid steps_grid(const Json& steps);

}  // namespace tallcache
