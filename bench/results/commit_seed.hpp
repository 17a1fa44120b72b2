// A seed that nobody chose.
#pragma once

#include <cstdint>
#include <string_view>

namespace tallcache {

/// The first 64 bits of a commit's hash, "-dirty" behind it or not. Throws Error where the commit is unknown.
std::uint64_t seed_of_commit(std::string_view commit);

}  // namespace tallcache
