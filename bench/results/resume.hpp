// Whether a run may go on with what an earlier one has left.
#pragma once

#include <string>

#include "bench/results/json.hpp"

namespace tallcache {

/// The first part of the context that results depend on and that differs: "seed is 1 there and 2 here"; empty
/// where none does.
std::string changed_setting(const Json& there, const Json& here);

}  // namespace tallcache
