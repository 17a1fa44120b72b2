// CPU against GPU over a sweep of sizes, as `tallcache compare` measured it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/results/json_fields.hpp"
#include "bench/show/blocks.hpp"

namespace tallcache {

/// A part of the plan. Its records are those of the operation and the element, in the order of measurement. A
/// record of the GPU by plain launches has the quantity "transfer time" of its operands and its result, by
/// TransferMode. The second record of a small problem, as a graph, has none.
struct Sweep {
  std::string operation, element;
  std::string size;            ///< the name of the size that is swept
  std::vector<Index> sizes{};  ///< its values
};
TALLCACHE_JSON_FIELDS(Sweep, operation, element, size, sizes)

/// The transfers that a time of the GPU includes: none, or those of its operands and its result, from pages
/// that the device reads by itself (pinned) or from ordinary ones (pageable).
enum class TransferMode { none, pinned, pageable };

/// The quantity of a record's transfers: its name, and {"pages": "pinned"} or {"pages": "pageable"}.
inline constexpr std::string_view transfer_time = "transfer time";
Json transfer_part(TransferMode);

/// The work per second, including the transfers. NaN when the run or its transfers were not measured.
double rate_with(const Record&, TransferMode);

/// Every candidate at every size of a sweep.
Grid comparison_grid(const Document&, const Sweep&);

/// Where a device's best by plain launches is faster than the CPU's best, both of the standard error class.
/// Graphs, which only small sizes have, are left out. A size at which one side was not measured is as if it
/// were not in the sweep.
struct Crossover {
  std::optional<Index> from;  ///< the smallest size from which on it is ahead at every size compared
  int compared = 0,
      ahead = 0;      ///< sizes at which both were measured, and of these, those at which it is ahead
  Index largest = 0;  ///< of the sizes compared
};
Crossover crossover(const Document&, const Sweep&, TransferMode, std::string_view backend = "gpu");

/// "The GPU is ahead of the CPU: kernel alone from n = 128 on; with pinned transfers at every size measured;
/// ..."
std::string crossover_sentence(const Document&, const Sweep&);

/// That, and the bounds of the error classes that its tables name.
std::string comparison_sentences(const Document&, const Sweep&);

/// The best of each side at every size: the suite's own variants and the libraries, on one core, on all
/// cores, on the GPU, and on the GPU with its transfers, all of the standard error class; those as graphs
/// apart, and the best of each weaker class, where there are any.
Grid comparison_summary(const Document&, const Sweep&);

/// The same sides as lines over the sizes, and the textbook's best on the CPU and on each device. Weaker
/// classes stand in the table alone.
Chart comparison_chart(const Document&, const Sweep&);

}  // namespace tallcache
