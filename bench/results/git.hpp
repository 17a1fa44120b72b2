// What git says of the history in which the program runs.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tallcache {

/// The standard output of `git ARGUMENTS...` in the current folder; empty optional when git is not there or
/// fails.
std::optional<std::string> git(const std::vector<std::string>& arguments);

}  // namespace tallcache
