// What `tallcache compare` measured, printed from its results file:
//   {"context", "limits", "gpu_limits",
//    "comparisons": [{"operation", "element", "rate", "size", "sizes", "gpu_ahead_from", "transfers"}],
//    "measurements": [a record of bench/json.hpp with "peer", "share_of_limit", "speed_up",
//    "with_transfers"]}
#pragma once

#include <string>

#include "bench/json.hpp"
#include "bench/report/grid.hpp"

namespace tallcache {

/// Every candidate at every size of one of the document's comparisons.
Grid comparison_grid(const Json& document, const Json& comparison);

/// "The GPU is ahead of the CPU from: kernel alone n = 128; ..."
std::string crossover_sentence(const Json& document, const Json& comparison);

/// The best of each side at every size: the suite's own variants and the libraries, on one core, on all
/// cores, on the GPU, and on the GPU with its transfers.
Grid comparison_summary(const Json& document, const Json& comparison);

/// For gnuplot: the rate of each candidate over the sizes, once more dotted with pinned transfers. Throws
/// Error when nothing was measured.
std::string comparison_plot(const Json& document, const Json& comparison);

}  // namespace tallcache
