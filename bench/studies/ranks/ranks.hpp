// Programs over ranks, as `tallcache ranks` counted, simulated or ran them. The records have the condition
// "ranks", in a run also the "layout" of the caller's matrices. Quantities: words and messages of the rank
// with the most, and {"rank", "level"}; formula, bound; time, also by {"phase"}.
#pragma once

#include <optional>
#include <string>

#include "bench/results/document.hpp"
#include "bench/results/json_fields.hpp"

namespace tallcache {

/// The only part of the plan.
struct RanksPlan {
  std::string operation;
  std::string mode;                      ///< "count", "simulate", "bounds" or "run"
  std::optional<std::string> scaling{};  ///< "strong" or "weak", where there may be several numbers of ranks
  std::optional<Json> fabric{};          ///< of a simulation
};
TALLCACHE_JSON_FIELDS(RanksPlan, operation, mode, scaling, fabric)

/// Its tables, for a terminal.
std::string ranks_text(const Document&);

}  // namespace tallcache
