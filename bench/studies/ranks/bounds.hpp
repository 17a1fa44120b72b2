// How far the words of REC-MULT are from the bound, for every number of ranks.
#pragma once

#include "bench/studies/ranks/over_ranks.hpp"

namespace tallcache {

/// Prints and stores the words over the bound for P = 2 to 10^6, of shapes square, tall, flat and deep: on
/// all ranks, and where up to a tenth of them may be idle.
void table_of_bounds(const RanksOptions&);

}  // namespace tallcache
