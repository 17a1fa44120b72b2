#include "bench/results/commit_seed.hpp"

#include <fmt/format.h>

#include <charconv>

#include "common/error.hpp"

namespace tallcache {

std::uint64_t seed_of_commit(std::string_view commit) {
  constexpr std::size_t digits = 16;
  std::uint64_t seed = 0;
  const std::string_view first = commit.substr(0, digits);
  const auto [end, error] = std::from_chars(first.data(), first.data() + first.size(), seed, 16);
  if (error != std::errc() || end != first.data() + digits)
    throw Error(fmt::format("the commit is '{}', which gives no seed: name one", commit));
  return seed;
}

}  // namespace tallcache
