// The report of a misses document: misses by level and kind beside the theory, the misses at every cache
// size, and the capacity cliffs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/results/caches.hpp"
#include "bench/results/planned_problem.hpp"
#include "bench/show/blocks.hpp"
#include "bench/studies/misses/scheduled.hpp"

namespace tallcache {

/// A sweep of sizes, over which capacity cliffs are looked for.
struct PlannedSweep {
  std::string dimension;
  std::vector<Json> ladder;  ///< shapes

  double size(std::size_t point) const { return ladder.at(point).at(dimension).get<double>(); }
};
TALLCACHE_JSON_FIELDS(PlannedSweep, dimension, ladder)

/// A part of the plan: of a CPU's caches, of several private ones, or of a GPU's requests.
struct MissesPart : PlannedProblem {
  std::optional<std::string> source{}, reason{};  ///< of the counts, and why that one
  std::optional<std::vector<cache::CacheLevel>> caches{};
  std::optional<std::string> machine{};  ///< a GPU's, for the model of requests
  std::optional<PlannedSweep> falls{};
  std::optional<ScheduledPart> scheduled{};
};
TALLCACHE_JSON_FIELDS(MissesPart, operation, element, shape, size, input, source, reason, caches, machine,
                      falls, scheduled)

std::string misses_text(const Document&, Style);

/// Q(Z) of each variant of the first part, with theory dotted and the caches marked; of private caches the
/// first of scheduled_charts(). Throws Error when the document has no such curves.
Chart misses_chart(const Document&);

}  // namespace tallcache
