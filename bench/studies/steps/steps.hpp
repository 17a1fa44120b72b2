// Where the time goes: the gain of each step from the textbook's text to the fastest variant, as `tallcache
// steps` measured it.
#pragma once

#include <string>
#include <vector>

#include "bench/results/document.hpp"
#include "bench/results/json_fields.hpp"
#include "bench/show/grid.hpp"

namespace tallcache {

struct PlannedStep {
  std::string label, variant;
  Json params;
  int threads;
  bool peer;
  double bytes = no_value;  ///< moved for a unit of the result
};
TALLCACHE_JSON_FIELDS(PlannedStep, label, variant, params, threads, peer, bytes)

/// A part of the plan.
struct StepsPlan {
  std::string operation, element, backend;
  Json shape;
  std::string unit;
  std::string limit;             ///< the name of the machine's limit
  double unit_bytes = no_value;  ///< the minimum moved for a unit of the result; NaN where memory is no limit
  std::vector<PlannedStep> steps;
};
TALLCACHE_JSON_FIELDS(StepsPlan, operation, element, backend, shape, unit, limit, unit_bytes, steps)

/// One part of the plan as a table. Each row is a step, compared with the one before of its error class. No
/// step builds on a library's, or on one of another class than the first's, which its row names.
Grid steps_grid(const Document&, const StepsPlan&);

}  // namespace tallcache
