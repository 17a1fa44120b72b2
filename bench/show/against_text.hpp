// A run against an older one, as text.
#pragma once

#include <string>

#include "bench/results/against.hpp"

namespace tallcache {

/// As Markdown: the differences, the machine, then what is broken, slower, faster, gone and new.
std::string against_text(const RunComparison&, const Document& now, const Document& before);

}  // namespace tallcache
