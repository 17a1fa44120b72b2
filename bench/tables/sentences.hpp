// What a table says in words.
#pragma once

#include <string>
#include <string_view>

#include "bench/tables/table.hpp"

namespace tallcache {

/// "holds here", "does not hold here", "undecided here"
std::string_view verdict_of(const Finding&);

/// "Slide: <its title>, on <its machine>."
std::string slide_line(const Table&);

}  // namespace tallcache
