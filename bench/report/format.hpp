// What the reports have in common: how a record's figures, its name and its reason become text.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/report/document.hpp"
#include "bench/report/grid.hpp"

namespace tallcache {

/// Seconds of a run of a record whose result is right; NaN otherwise, and without a record.
double measured_seconds(const Record*);

/// Why there are none: the record's reason, or "not measured".
std::string reason_of(const Record*);

/// "64 %", "1.7 %" with one decimal; "-" when it is NaN.
std::string percent(double share, int decimals = 0);

/// "m = 8, n = 8"; a pad of 0 is left out.
std::string sizes_text(const Json& shape, std::string_view equals = " = ", std::string_view between = ", ");

/// "tiled"; "tiled, graph" when it was started as a graph.
std::string variant_name(const Record&);

/// "gpu tiled", "gpu tiled, graph", "cpu recursive, 2 threads"
std::string name_of(const Record&);

/// What the speeds of these records are in; "rate" when none of them was timed.
std::string rate_title(std::span<const Record* const>);

/// "On <the machine>:", as the tables of a README begin; of devices that were throttled it says so.
std::string measured_on(const Document&);

/// Each part of the plan as `text` has it, a blank line between them.
std::string join_parts(const Document&, std::string (*text)(const Document&, const Json& part));

}  // namespace tallcache
