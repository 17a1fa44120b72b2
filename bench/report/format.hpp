// Shared by the reports: a record's figures, its name and its reason as text.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/report/document.hpp"
#include "bench/report/grid.hpp"

namespace tallcache {

/// The seconds of a run of a record whose result is right. NaN otherwise, and without a record.
double measured_seconds(const Record*);

/// The reason why there is no time: the record's reason, or "not measured".
std::string reason_of(const Record*);

/// "64 %"; "1.7 %" with one decimal; "-" for NaN.
std::string percent(double share, int decimals = 0);

/// "m = 8, n = 8". A pad of 0 is left out.
std::string sizes_text(const Json& shape, std::string_view equals = " = ", std::string_view between = ", ");

/// "three_truncated (truncated_sums)": a variant with its error class, where that is not the standard one.
std::string with_class(std::string_view variant, ErrorClass);

/// "tiled"; with_class() where it has another than the standard one; "tiled, graph" when it was started as a
/// graph.
std::string variant_name(const Record&);

/// A paragraph on the classes but the standard one that these records have, each with its bound. Empty when
/// there is none.
std::string class_notes(std::span<const Record* const>);

/// "gpu tiled", "gpu tiled, graph", "cpu recursive, 2 threads"
std::string name_of(const Record&);

/// "GPU" of "gpu"; other names as they are.
std::string backend_title(std::string_view backend);

/// The unit of these records' speeds; "rate" when none of them was timed.
std::string rate_title(std::span<const Record* const>);

/// "On <the machine>:", the line above the tables of a README. It names devices that were throttled.
std::string measured_on(const Document&);

/// Each part of the plan, formatted by `text`, separated by blank lines.
template <class Part>
std::string join_parts(const Document& document, std::string (*text)(const Document&, const Part&)) {
  std::string all;
  for (const Part& part : parts_of<Part>(document)) all += (all.empty() ? "" : "\n") + text(document, part);
  return all;
}

}  // namespace tallcache
