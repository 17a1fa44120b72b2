// What `tallcache run` measured: variants of one operation on one shape. Nothing is planned.
#pragma once

#include "bench/report/document.hpp"
#include "bench/report/grid.hpp"

namespace tallcache {

/// A row a variant, with the times of its phases or the reason why it has none.
Grid run_grid(const Document&);

}  // namespace tallcache
