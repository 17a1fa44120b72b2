// The variants that a command is asked for.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "common/harness.hpp"

namespace tallcache {

/// The variants of `operation` that are named, or all of them when none is; each with those of the given
/// parameters ("base=32") that it has. Throws Error, with the nearest, on an unknown variant and on a
/// parameter that none of them has.
std::vector<Candidate> candidates(const Operation& operation, std::span<const std::string> names,
                                  std::span<const std::string> params);

}  // namespace tallcache
