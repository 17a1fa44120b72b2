// What the accesses of a variant's text cost, site by site.
//
// Of a GPU's variant at {"file", "line", "column", "access", "space", "width"}, by the request model that is
// the detail: requests, lanes, lane slots; of global memory bytes, sectors, ideal sectors; of shared memory
// wavefronts, ideal wavefronts; of atomics atomic steps; lane distance (B) and its share. Of a CPU's at
// {"file", "line", "column", "access", "width", "level"}: accesses, misses, cold, capacity, conflict.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/results/caches.hpp"
#include "bench/results/planned_problem.hpp"
#include "bench/show/grid.hpp"
#include "common/cache/site_misses.hpp"
#include "common/warp/explain.hpp"

namespace tallcache {

/// A part of the plan: of a GPU's machine, or of a CPU's caches.
struct ExplainPart : PlannedProblem {
  std::optional<std::string> machine{};
  std::optional<std::vector<cache::CacheLevel>> caches{};
};
TALLCACHE_JSON_FIELDS(ExplainPart, operation, element, shape, size, input, machine, caches)

void put_site(Record&, const cache::WarpMachine&, const warp::ExplainedSite&);
void put_site(Record&, const cache::SiteLevels&);

/// The sites of each variant as a grid, and a sentence for each.
std::string explain_text(const Document&, Style);

}  // namespace tallcache
