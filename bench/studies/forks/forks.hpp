// The report of `tallcache forks`: several threads over one, under each fork policy.
#pragma once

#include <string>

#include "bench/results/document.hpp"
#include "bench/results/json_fields.hpp"
#include "bench/show/grid.hpp"

namespace tallcache {

/// A part of the plan: an operation, whose variants were measured on one thread and on these.
struct ForksPlan {
  std::string operation, element;
  int threads;
};
TALLCACHE_JSON_FIELDS(ForksPlan, operation, element, threads)

/// Programs that take one thread so many seconds are also held against as many of them side by side as there
/// are threads, each on one: together these do the work of a run in their time over their number.
inline constexpr double least_beside = 1e-2;

/// A row for each variant and size, with its hint over its time. A run on several threads keeps up with one
/// where it reaches 0.95 of its speed, or takes a microsecond more.
Grid forks_grid(const Document&, const ForksPlan&);

}  // namespace tallcache
