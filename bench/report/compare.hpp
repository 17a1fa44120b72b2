// CPU against GPU over a sweep of sizes, as `tallcache compare` measured it. A part of the plan is
//   {"operation", "element", "size": the name of the size that is swept, "sizes": [its values]}
// and its records are those of the operation and the element, in the order in which they were measured. A
// record of the GPU by plain launches has the quantity "transfer time", of its operands and its result, by
// TransferMode; a small problem's second record, as a graph, has none.
#pragma once

#include <optional>
#include <string>

#include "bench/report/document.hpp"
#include "bench/report/grid.hpp"

namespace tallcache {

/// What a time of the GPU has in it: the kernel alone, or the transfers of its operands and its result too,
/// from pages that the device reads by itself or from ordinary ones.
enum class TransferMode { none, pinned, pageable };

/// The quantity of a record's transfers: its name, and {"pages": "pinned"} or {"pages": "pageable"}.
inline constexpr std::string_view transfer_time = "transfer time";
Json transfer_part(TransferMode);

/// Work done in a second, with the transfers. NaN when it was not measured, or its transfers were not.
double rate_with(const Record&, TransferMode);

/// Every candidate at every size of a part.
Grid comparison_grid(const Document&, const Json& part);

/// The least size from which on the GPU's best by plain launches is ahead of the CPU's best at every size
/// measured. Graphs, which only small sizes have, do not take part.
std::optional<Index> crossover(const Document&, const Json& part, TransferMode,
                               std::string_view backend = "gpu");

/// "The GPU is ahead of the CPU from: kernel alone n = 128; ..."
std::string crossover_sentence(const Document&, const Json& part);

/// The best of each side at every size: the suite's own variants and the libraries, on one core, on all
/// cores, on the GPU, and on the GPU with its transfers; those as graphs apart, where there are any.
Grid comparison_summary(const Document&, const Json& part);

/// For gnuplot: the rate of each candidate over the sizes, once more dotted with pinned transfers. Throws
/// Error when nothing was measured.
std::string comparison_plot(const Document&, const Json& part);

}  // namespace tallcache
