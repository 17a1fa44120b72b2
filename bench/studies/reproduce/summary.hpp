// What a document of `tallcache reproduce` comes to: how many findings hold, and a page of the terminal.
#pragma once

#include <string>
#include <vector>

#include "bench/results/document.hpp"
#include "bench/tables/table.hpp"

namespace tallcache {

/// How many of the slides' findings hold here.
struct Verdicts {
  int held = 0, decided = 0, undecided = 0;

  void count(const Report&);
};

/// A line for each table that was measured: what its slide found, the slide's ratio beside this machine's,
/// and how many findings hold. Then the findings that fail, how many hold, and in one line what was left out.
/// All fits line_width() (bench/show/fit.hpp).
std::string overview(const Document&, const std::vector<const Table*>& tables);

}  // namespace tallcache
