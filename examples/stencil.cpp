// A point update of one's own: a nonlinear heat equation, and its misses in caches of every size.
#include <tallcache/stencil.hpp>
#include <tallcache/trace.hpp>

#include <cstdio>
#include <vector>

using namespace tallcache;

const auto melt = [](auto at) {  // hot points conduct less
  const auto u = at(0, 0);
  return u + 0.1 / (1 + u * u) * (at(-1, 0) + at(1, 0) + at(0, -1) + at(0, 1) - 4 * u);
};

template <class Access = Plain>
std::vector<double> melted(Index n, Access access = {}) {
  std::vector<double> even(n * n), odd(n * n);
  even[n / 2 * n + n / 2] = 100;
  const StencilGrid<double, 2, Access> grid{{even.data(), odd.data()}, {n, n}, {}, 0, 0, access};
  return stencil(grid, melt, 40) == odd.data() ? odd : even;
}

int main() {
  cache::StackDistances misses;
  std::vector<double> traced;
  cache::trace(64, {&misses}, [&](cache::Tracer& t) { traced = melted<Traced<cache::Tracer>>(200, {&t}); });
  for (int lines = 64; lines <= 16384; lines *= 2)
    std::printf("%6d lines: %zu\n", lines, misses.misses(lines));
  return traced == melted(200) ? 0 : 1;
}
