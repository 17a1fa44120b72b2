// The charts of a table of timings, for the page.
#pragma once

#include "bench/tables/timings.hpp"

namespace tallcache {

/// The time of every line over n, over the swept parameter, or over the cores of each case, with the slide's
/// times beside; a ranking where there is one case.
void add_drawings(const Timings&, Report&);

}  // namespace tallcache
