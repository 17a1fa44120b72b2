// The value of a figure that was not measured.
#pragma once

#include <limits>

namespace tallcache {

inline constexpr double no_value = std::numeric_limits<double>::quiet_NaN();

}  // namespace tallcache
