// A figure that there is none of.
#pragma once

#include <limits>

namespace tallcache {

inline constexpr double absent = std::numeric_limits<double>::quiet_NaN();

}  // namespace tallcache
