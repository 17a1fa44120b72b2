// The cheapest ways between all pairs of places, and the widest: shortest paths with predecessors, and the
// same recursion over an update of one's own.
#include <tallcache/paths.hpp>

#include <algorithm>
#include <cstdio>
#include <vector>

int main() {
  constexpr std::int32_t none = tallcache::no_path<std::int32_t>;
  const std::vector<std::int32_t> roads{0,    7,    3,    none,  //
                                        none, 0,    none, 2,     //
                                        none, -1,   0,    9,     //
                                        none, none, none, 0};
  std::vector<std::int32_t> costs = roads, before(16), widths(16);
  tallcache::shortest_paths(tallcache::MatrixView<std::int32_t>{costs.data(), 4, 4, 4},
                            {before.data(), 4, 4, 4});
  std::printf("from 0 to 3 costs %d:", costs[3]);
  for (const tallcache::Index place : tallcache::path_between({before.data(), 4, 4, 4}, 0, 3))
    std::printf(" %d", static_cast<int>(place));

  // A way is as wide as its narrowest road.
  std::ranges::transform(roads, widths.begin(), [](auto cost) { return cost == none ? 0 : 10 - cost; });
  const auto wider = [](auto x, auto u, auto v, auto) { return std::max(x, std::min(u, v)); };
  tallcache::gep(tallcache::MatrixView<std::int32_t>{widths.data(), 4, 4, 4}, wider);
  std::printf("; the widest way is of %d\n", widths[3]);
  return costs[3] == 4 && widths[3] == 7 ? 0 : 1;
}
