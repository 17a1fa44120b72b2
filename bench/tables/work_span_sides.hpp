// Both sides of the slides' table 'work-span': of each algorithm the text on the CPU and on the GPU with its
// work and span, and on each the fastest variant beside the best library.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/tables/table.hpp"

namespace tallcache {

/// Counts of a text at its largest size.
struct SideCounts {
  std::string_view row;  ///< the algorithm's name in the slide
  std::string text;      ///< the variant
  double n, work, span;
};

/// The GPU's texts, which the model counts, and the timed cases of both sides.
std::vector<Row> work_span_side_rows(Scale, std::uint64_t seed);

/// Counts and times, a line for each algorithm and side. `cpu` are the counts of the CPU's texts.
std::vector<Grid> work_span_sides(const Inputs&, std::string_view table, const std::vector<SideCounts>& cpu);

}  // namespace tallcache
