// The algorithms of the slides' table 'work-span', each with the variant that is held against it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/tables/growth.hpp"
#include "common/named.hpp"

namespace tallcache {

/// A variant compared with a row of the slide.
struct WorkSpanLine {
  std::string_view row;                    ///< the algorithm's name in the slide
  std::string_view operation, element;     ///< element empty: the operation's first
  std::vector<std::string_view> variants;  ///< the first one that the catalogue has
  std::vector<Index> n;                    ///< the last one with --full only
  Growth work, span;                       ///< of the variant
  std::string_view why{};                  ///< the reason where its span is not the slide's
  std::string_view input{};                ///< empty: the operation's first
  Params params{};                         ///< beside the smallest leaves
  std::string (*shape)(Index){};           ///< null: the first size is n, the others as left out
  double (*work_in)(double){};             ///< the variable of the work's growth, where it is not n
  double (*span_in)(double){};
  bool of_differences = false;  ///< the span's power is fitted to S(2n) - S(n), which has no constant
};

/// In the order of the slide, several lines for a row of it where several variants are held against it.
const std::vector<WorkSpanLine>& work_span_lines();

/// The edges of a square grid of n vertices, each way counted.
double grid_edges(double n);

}  // namespace tallcache
