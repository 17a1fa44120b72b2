// The counts of `tallcache counters`, as text.
#pragma once

#include <string>

#include "bench/results/document.hpp"
#include "bench/results/json_fields.hpp"
#include "bench/show/grid.hpp"

namespace tallcache {

/// A part of the plan.
struct CountersPlan {
  std::string operation, element;
  Json shape;
};
TALLCACHE_JSON_FIELDS(CountersPlan, operation, element, shape)

/// One part of the plan: a row for each event, a column for each variant, and below them the
/// events that were not counted, by reason.
std::string counters_text(const Document&, const CountersPlan&, Style);

}  // namespace tallcache
