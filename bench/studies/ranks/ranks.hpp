// Programs over ranks, as `tallcache ranks` counted, simulated or ran them. The plan has one part:
//
//   {"operation", "mode": "count", "simulate", "bounds" or "run", "scaling"?: "strong" or "weak", "fabric"?}
//
// Its records have the condition "ranks", in a run also the "layout" of the caller's matrices. Quantities:
// words and messages of the rank with the most, and {"rank", "level"}; formula, bound; time, also by
// {"phase"}.
#pragma once

#include <string>

#include "bench/results/document.hpp"

namespace tallcache {

/// Its tables, for a terminal.
std::string ranks_text(const Document&);

}  // namespace tallcache
