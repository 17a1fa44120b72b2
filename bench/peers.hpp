// The fastest variants beside their peers, as `tallcache peers` measured them:
//   {"context", "limits", "peers": [{"operation", "element", "variant", "rate",
//    "cases": [{"shape", "input", "params", "threads", "group", "over", "best_peer", "over_best_peer",
//    "of_limit", "of_uniform", "over_one_core", "records": [of bench/json.hpp, the variant's first]}]}]}
#pragma once

#include "bench/json.hpp"
#include "bench/report/grid.hpp"

namespace tallcache {

/// One of the document's matches as a table.
Grid peers_grid(const Json& match);

}  // namespace tallcache
