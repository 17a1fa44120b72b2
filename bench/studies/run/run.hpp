// The results of `tallcache run`: variants of one operation on one shape. Its plan is empty.
#pragma once

#include <vector>

#include "bench/results/document.hpp"
#include "bench/show/grid.hpp"

namespace tallcache {

/// A grid for each shape: a row for each variant with its speed over the first's and the times of its phases,
/// or the reason why it has none. A device whose variants all lack it for one reason has one row.
std::vector<Grid> run_grids(const Document&);

}  // namespace tallcache
