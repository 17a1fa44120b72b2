// The results of `tallcache run`: variants of one operation on one shape. Its plan is empty.
#pragma once

#include "bench/results/document.hpp"
#include "bench/show/grid.hpp"

namespace tallcache {

/// A row for each variant, with the times of its phases or the reason why it has none.
Grid run_grid(const Document&);

}  // namespace tallcache
