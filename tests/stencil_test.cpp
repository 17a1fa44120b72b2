// Stencils of a user's own: every schedule, fork policy and access policy makes the same bytes as plain
// loops, which look each neighbour up.
#include <tallcache/stencil.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "common/cache/lru.hpp"
#include "common/cache/tracer.hpp"
#include "common/fork/work_span.hpp"
#include "common/random.hpp"
#include "tests/heartbeat_trees.hpp"
#include "tests/support.hpp"

namespace tallcache::test {
namespace {

using cpu::stencil::Leaf;
using cpu::stencil::Pack;
using cpu::stencil::SteppedGrids;
using cpu::stencil::VectorRows;

constexpr StencilBorder borders[] = {StencilBorder::constant, StencilBorder::periodic,
                                     StencilBorder::mirrored};

/// Two states of random numbers.
template <class T, int d>
struct States {
  std::array<Index, d> sizes;
  std::vector<T> state[2];

  explicit States(const std::array<Index, d>& all) : sizes(all) {
    Index points = 1;
    for (const Index size : sizes) points *= size;
    for (int t = 0; t < 2; ++t)
      for (Index i = 0; i < points; ++i)
        state[t].push_back(static_cast<T>(random_unit(static_cast<std::uint64_t>(t + 1), i)));
  }

  StencilGrid<T, d> grid(StencilBorder border) {
    return {{state[0].data(), state[1].data()}, sizes, border, static_cast<T>(0.25)};
  }
  friend bool operator==(const States& a, const States& b) {
    const auto same = [&](int t) {
      return std::memcmp(a.state[t].data(), b.state[t].data(), a.state[t].size() * sizeof(T)) == 0;
    };
    return same(0) && same(1);
  }
};

/// The neighbours of a point, each by a border of its own.
template <class T, int d>
struct LookedUp {
  const T* state;
  std::array<Index, d> sizes, point;
  StencilBorder border;
  T outside;

  template <class... Offset>
  Pack<T, 1> operator()(Offset... offsets) const {
    const Index offset[] = {offsets...};
    Index at = 0;
    for (int i = 0; i < d; ++i) {
      Index x = point[i] + offset[i];
      const Index size = sizes[i];
      if (border == StencilBorder::constant && (x < 0 || x >= size)) return outside;
      if (border == StencilBorder::periodic) x = (x + size) % size;
      if (border == StencilBorder::mirrored) x = x < 0 ? -x - 1 : x >= size ? size - 1 - (x - size) : x;
      at = at * size + x;
    }
    return Pack<T, 1>(state[at]);
  }
};

template <class T, int d, class Update>
void looked_up(States<T, d>& states, StencilBorder border, const Update& update, Index steps) {
  for (Index t = 0; t < steps; ++t) {
    const std::vector<T>& from = states.state[t % 2];
    std::vector<T>& to = states.state[(t + 1) % 2];
    for (Index i = 0; i < static_cast<Index>(from.size()); ++i) {
      LookedUp<T, d> at{from.data(), states.sizes, {}, border, static_cast<T>(0.25)};
      for (Index k = d, rest = i; k-- > 0; rest /= states.sizes[k]) at.point[k] = rest % states.sizes[k];
      if constexpr (std::is_invocable_v<Update, LookedUp<T, d>, Pack<T, 1>>)
        to[i] = Pack<T, 1>(update(at, Pack<T, 1>(to[i]))).v;
      else
        to[i] = Pack<T, 1>(update(at)).v;
    }
  }
}

const auto reach_two = [](auto at) { return 0.3 * (at(-2) + at(2)) - 0.1 * (at(-1) + at(1)) + 0.5 * at(0); };
// Neither linear nor smooth.
const auto erosion = [](auto at) {
  const auto u = at(0, 0), least = min(min(at(-1, 0), at(1, 0)), min(at(0, -1), at(0, 1)));
  return where_less(abs(u - least), 0.125, u, sqrt(u * least + 0.01)) / (1 + u * u);
};
const auto lopsided = [](auto at) { return 0.6 * at(1, 2) + 0.3 * at(-2, -1) - 0.05 * at(0, 0); };
const auto wave = [](auto at, auto before) {
  return 2 * at(0, 0, 0) - before +
         0.1 * (at(-1, 0, 0) + at(1, 0, 0) + at(0, -1, 0) + at(0, 1, 0) + at(0, 0, -1) + at(0, 0, 1) -
                6 * at(0, 0, 0));
};

/// The public function, loops, tiles of many sizes and trapezoids down to single points.
template <int reach, class T, int d, class Update>
void every_schedule(const std::array<Index, d>& sizes, const Update& update, Index steps) {
  for (const StencilBorder border : borders) {
    States<T, d> expected(sizes);
    looked_up(expected, border, update, steps);
    States<T, d> got(sizes);
    const StencilGrid<T, d> grid = got.grid(border);
    EXPECT_EQ(stencil<reach>(grid, update, steps), got.state[steps % 2].data());
    EXPECT_TRUE(got == expected) << "stencil(), border " << static_cast<int>(border);
    const auto held = [&](const char* what, const auto& run) {
      States<T, d> own(sizes);
      const StencilGrid<T, d> g = own.grid(border);
      run(SteppedGrids<T, d, reach, VectorRows, Update, Plain>(
          {g.state, g.sizes, g.sizes[d - 1], g.border, g.outside, {}}, update));
      EXPECT_TRUE(own == expected) << what << ", border " << static_cast<int>(border);
    };
    Serial fork;
    held("loops", [&](const auto& s) { run_loops(fork, s, steps); });
    for (const Index size : {1, 3, 8, 50})
      for (const Index height : {1, 2, 5, 16}) {
        std::array<Index, d> widths;
        widths.fill(size);
        held("tiles", [&](const auto& s) { run_tiles(fork, s, steps, height, widths); });
        held("trapezoids", [&](const auto& s) { run_trapezoids(fork, s, steps, Leaf<d>{height, widths}); });
      }
  }
}

TEST(Stencil, OfAnyUpdateIsThatOfPlainLoops) {
  for (const Index n : {2, 3, 5, 40, 333}) every_schedule<2, double, 1>({n}, reach_two, 23);
  every_schedule<1, double, 2>({37, 45}, erosion, 18);
  every_schedule<1, float, 2>({1, 133}, erosion, 9);
  every_schedule<2, float, 2>({25, 70}, lopsided, 15);
  every_schedule<2, double, 2>({2, 3}, lopsided, 5);
  every_schedule<1, double, 3>({9, 12, 21}, wave, 11);
  every_schedule<1, float, 3>({1, 2, 35}, wave, 4);
}

TEST(Stencil, IsTheSameBytesUnderEveryFork) {
  const Impatience promoting;
  States<double, 2> expected({150, 131});
  looked_up(expected, StencilBorder::periodic, erosion, 50);
  const auto run = [&](auto& fork) {
    States<double, 2> got({150, 131});
    const auto grid = got.grid(StencilBorder::periodic);
    const SteppedGrids<double, 2, 1, VectorRows, std::remove_const_t<decltype(erosion)>, Plain> grids(
        {grid.state, grid.sizes, 131, grid.border, grid.outside, {}}, erosion);
    run_trapezoids(fork, grids, 50, Leaf<2>{3, {5, 16}});
    return got == expected;
  };
  for (const ForkPolicy policy : fork_policies) {
    set_fork_policy(policy);
    bool same = false;
    run_parallel(std::min(2, usable_threads()), [&](auto& fork) { same = run(fork); });
    EXPECT_TRUE(same) << name_of(policy);
  }
  set_fork_policy(default_fork_policy);
  WorkSpan<Nanoseconds> fork(ProfileOptions{});
  bool same = false;
  const Profile profile = fork.profile([&] { same = run(fork); });
  EXPECT_TRUE(same);
  EXPECT_GT(profile.spawns, 100u);
}

/// Loads and stores of an element.
struct Counts {
  std::size_t loads = 0, stores = 0;
  void load(const void*, std::size_t) { ++loads; }
  void store(const void*, std::size_t) { ++stores; }
};

TEST(Stencil, AccessesThePointsOfTheUpdateAlone) {
  for (const StencilBorder border : {StencilBorder::periodic, StencilBorder::mirrored}) {
    States<double, 3> plain({5, 6, 19}), traced = plain;
    stencil(plain.grid(border), wave, 7);
    Counts counts;
    const Traced<Counts> access{&counts};
    stencil(
        StencilGrid<double, 3, Traced<Counts>>{
            {traced.state[0].data(), traced.state[1].data()}, {5, 6, 19}, border, 0.25, 0, access},
        wave, 7);
    EXPECT_TRUE(plain == traced);
    const std::size_t updates = 5 * 6 * 19 * 7;
    EXPECT_EQ(counts.loads, updates * (8 + 1));  // the point twice, and the one before
    EXPECT_EQ(counts.stores, updates);
  }
}

TEST(Stencil, ByTrapezoidsMissesLessInEveryCacheThatIsTooSmall) {
  const Index n = 192, steps = 64;
  const auto heat = [](auto at) {
    return at(0, 0) + 0.1 * (at(-1, 0) + at(1, 0) + at(0, -1) + at(0, 1) - 4 * at(0, 0));
  };
  const auto misses = [&](std::size_t lines, const auto& run) {
    States<double, 2> states({n, n});
    cache::LruCache ideal(lines);
    cache::trace(64, {&ideal}, [&](cache::Tracer& tracer) {
      const Traced<cache::Tracer> access{&tracer};
      run(SteppedGrids<double, 2, 1, VectorRows, std::remove_const_t<decltype(heat)>, Traced<cache::Tracer>>(
          {{states.state[0].data(), states.state[1].data()}, {n, n}, n, StencilBorder::mirrored, 0.0, access},
          heat));
    });
    return static_cast<double>(ideal.misses());
  };
  Serial fork;
  double before = std::numeric_limits<double>::infinity();
  for (const std::size_t lines : {256, 1024, 4096}) {
    const double loops = misses(lines, [&](const auto& s) { run_loops(fork, s, steps); });
    const double zoids = misses(lines, [&](const auto& s) {
      run_trapezoids(fork, s, steps, Leaf<2>{1, {8, 8}});
    });
    const double updates = n * n * steps;
    EXPECT_NEAR(loops, 2 * updates / 8, 0.1 * loops) << lines;
    EXPECT_LT(zoids, loops / 4) << lines;
    // Four times the cache has half the misses; the constant is that of lines of which a part is used.
    EXPECT_LT(zoids, before / 1.8) << lines;
    EXPECT_LT(zoids, 24 * updates / (8 * std::sqrt(8. * static_cast<double>(lines)))) << lines;
    before = zoids;
  }
}

TEST(Pack, RoundsAlikeInEveryWidth) {
  const auto checked = [](auto zero) {
    using T = decltype(zero);
    T a[4], b[4];
    for (int i = 0; i < 4; ++i)
      a[i] = static_cast<T>(random_unit(1, i)), b[i] = static_cast<T>(random_unit(2, i));
    const auto all = [](auto x, auto y) {
      return max(x, y) - min(x, 0.5) * sqrt(y) + abs(x - y) / (0.1 + y) - where_less(x, y, -x, 2 * y) * x;
    };
    constexpr int lanes = 16 / sizeof(T);
    const auto vector = all(Pack<T, lanes>::load(a), Pack<T, lanes>::load(b));
    for (int i = 0; i < lanes; ++i) {
      const T single = all(Pack<T, 1>(a[i]), Pack<T, 1>(b[i])).v, lane = vector.v[i];
      EXPECT_EQ(std::memcmp(&single, &lane, sizeof(T)), 0);
    }
    // Contracted, x * x - x * x rounded is what was rounded off.
    const Pack<T, 1> x(static_cast<T>(1.1)), square = x * x;
    EXPECT_EQ((x * x - square).v, T{0});
    EXPECT_TRUE(std::signbit(Pack<T, lanes>(-T{0}).v[0]));
  };
  checked(0.0);
  checked(0.0f);
}

TEST(Stencil, RefusesWhatDoesNotFit) {
  std::vector<double> a(64), b(64);
  const auto update = [](auto at) { return at(0, 0); };
  const auto refused = [&](StencilGrid<double, 2> grid, Index steps, const char* word, int threads = 1) {
    try {
      stencil<3>(grid, update, steps, threads);
      ADD_FAILURE() << "accepted: " << word;
    } catch (const Error& error) {
      const std::string what = error.what();
      EXPECT_NE(what.find(word), std::string::npos) << what;
      EXPECT_EQ(what.find('\n'), std::string::npos) << what;
    }
  };
  const std::array<double*, 2> state{a.data(), b.data()};
  constexpr Index most = std::numeric_limits<Index>::max();
  refused({state, {8, 8}}, -1, "-1 steps");
  refused({state, {8, -1}}, 1, "negative size -1");
  refused({state, {8, 8}}, most, "overflow");
  refused({state, {most, 8}}, 1, "overflow");
  refused({state, {most, most}}, 1, "overflow");
  refused({state, {8, 8}, StencilBorder::constant, 0, 7}, 1, "leading dimension 7");
  refused({state, {8, 2}, StencilBorder::periodic}, 1, "2 points of a dimension");
  refused({state, {2, 8}, StencilBorder::mirrored}, 1, "2 points of a dimension");
  refused({{a.data(), nullptr}, {8, 8}}, 1, "no data");
  refused({{a.data(), a.data() + 63}, {8, 8}}, 1, "overlap");
  refused({state, {8, 8}}, 1, "thread", 0);
  EXPECT_EQ(stencil<3>(StencilGrid<double, 2>{state, {2, 2}}, update, 3), b.data());
  EXPECT_EQ(stencil<3>(StencilGrid<double, 2>{{nullptr, nullptr}, {0, 5}}, update, 3), nullptr);
}

}  // namespace
}  // namespace tallcache::test
