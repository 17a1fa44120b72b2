// Shared by the reports: figures, machines and classes of errors as text.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/results/document.hpp"
#include "bench/results/names.hpp"
#include "bench/show/grid.hpp"

namespace tallcache {

/// "0.7 us", "12.34 ms": four significant digits in a unit that fits; "-" for NaN.
std::string duration(double seconds);

/// "64 %"; "1.7 %" with one decimal; "-" for NaN.
std::string percent(double share, int decimals = 0);

/// A caption without the colon that leads to the table below it.
std::string as_title(std::string caption);

/// A paragraph on the classes but the standard one that these records have, each with its bound. Empty when
/// there is none.
std::string class_notes(std::span<const Record* const>);

/// "AMD EPYC, 2 cores and NVIDIA H200 (GNU 12.2.0, -O3 -DNDEBUG, commit 44c3d3c7fbe3, quick sizes)"
std::string machine_line(const Document&);

/// "On <the machine>:", the line above the tables of a README. It names devices that were throttled.
std::string measured_on(const Document&);

/// Each part of the plan as `text` says it, in Markdown, separated by blank lines.
template <class Part>
std::string join_parts(const Document& document, std::string (*text)(const Document&, const Part&, Style)) {
  std::string all;
  for (const Part& part : parts_of<Part>(document))
    all += (all.empty() ? "" : "\n") + text(document, part, Style::markdown);
  return all;
}

}  // namespace tallcache
