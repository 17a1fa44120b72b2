// What a device's tuning was measured by, and what it becomes. A record of the document is a value of a field
// in a case: its `row` is "lu_wide_block=128". What is chosen is computed, not stored.
#pragma once

#include <string>
#include <vector>

#include "bench/results/document.hpp"
#include "bench/results/json_fields.hpp"
#include "bench/show/grid.hpp"
#include "gpu/tuning/records.hpp"

namespace tallcache {

/// A part of the plan: a field with the value that it had, those that were tried, and the cases.
struct TunePart {
  std::string field, what;
  int before;
  std::vector<int> tried;
  std::vector<std::string> cases;
};
TALLCACHE_JSON_FIELDS(TunePart, field, what, before, tried, cases)

/// The values of a field that are tried: its own, and the one that it has.
std::vector<int> tried_values(const gpu::TunedField&, int before);

/// What a record is of: "gemv float warp_per_row m=8".
std::string case_of(const Record&);

/// "lu_wide_block=128"
std::string row_of(const std::string& field, int value);

/// How fast one value is beside the one before: the geometric mean over the cases, and its deviation. NaN
/// where one of the cases has no right result.
struct Gain {
  double times, deviation;
};
Gain gain_of(const Document&, const TunePart&, int value);

/// The fastest value, where it is faster than the one before by a hundredth and by two deviations; else that
/// one. A value with a wrong result in any case is never chosen; where the one before has one, another that
/// is right is.
int chosen_value(const Document&, const TunePart&);

/// `before` with what is chosen in every part.
gpu::Tuning chosen_tuning(const Document&, const gpu::Tuning& before);

/// A row for each value.
Grid tune_grid(const Document&, const TunePart&);

}  // namespace tallcache
