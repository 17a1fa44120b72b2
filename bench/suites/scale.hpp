// How large a run is.
#pragma once

#include <string_view>

namespace tallcache {

/// Tiny sizes for tests, sizes for minutes, the largest ones.
enum class Scale { smoke, quick, full };
std::string_view to_string(Scale);
/// The inverse; throws Error with the nearest name.
Scale parse_scale(std::string_view text);

}  // namespace tallcache
