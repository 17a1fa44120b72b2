// Wrong levels of a breadth-first search.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/ops/bfs.hpp"
#include "tests/checkers/checker.hpp"

namespace tallcache {

// Relaxing every edge until nothing changes (Bellman and Ford).
static void solve(Bfs, const auto& args) {
  const auto n = static_cast<std::int32_t>(args.out.size);
  std::fill_n(args.out.data, n, n);
  args.out[args.source] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::int32_t u = 0; u < n; ++u)
      for (Index e = args.offset[u]; e < args.offset[u + 1]; ++e)
        if (auto& level = args.out[args.target[e]]; args.out[u] + 1 < level) {
          level = args.out[u] + 1;
          changed = true;
        }
  }
  std::replace(args.out.data, args.out.data + n, n, unreached);
}

namespace test {
namespace {

// A vertex of the wanted kind.
Index vertex_at(const auto& args, auto kind) {
  Index v = args.out.size - 1;
  while (v >= 0 && !kind(v)) --v;
  EXPECT_GE(v, 0) << "a graph without a vertex of the kind";
  return v;
}
template <int amount>
struct one_level_off {
  static void run(auto op, const auto& args) {
    solve(op, args);
    args.out[vertex_at(args, [&](Index v) { return args.out[v] > 1; })] += amount;
  }
};
struct deepest_unreached {
  static void run(auto op, const auto& args) {
    solve(op, args);
    *std::max_element(args.out.data, args.out.data + args.out.size) = unreached;
  }
};
struct unreached_reached {
  static void run(auto op, const auto& args) {
    solve(op, args);
    args.out[vertex_at(args, [&](Index v) { return args.out[v] == unreached; })] = 1;
  }
};
struct all_unreached {
  static void run(auto, const auto& args) { std::fill_n(args.out.data, args.out.size, unreached); }
};
struct only_source_reached {
  static void run(auto op, const auto& args) {
    all_unreached::run(op, args);
    args.out[args.source] = 0;
  }
};
struct counted_from_one {
  static void run(auto op, const auto& args) {
    solve(op, args);
    for (Index v = 0; v < args.out.size; ++v) args.out[v] += args.out[v] != unreached;
  }
};
struct from_another_source {
  static void run(auto op, auto args) {
    args.source = static_cast<std::uint32_t>(args.out.size / 2);
    solve(op, args);
  }
};
struct one_level_only {
  static void run(auto op, const auto& args) {
    solve(op, args);
    for (Index v = 0; v < args.out.size; ++v) args.out[v] = std::min(args.out[v], 1);
  }
};
struct levels_doubled {  // no vertex has a parent
  static void run(auto op, const auto& args) {
    solve(op, args);
    for (Index v = 0; v < args.out.size; ++v) args.out[v] *= args.out[v] > 0 ? 2 : 1;
  }
};
// As a search that takes a level for all reached: those that depth first finds are too deep.
struct depth_first {
  static void run(auto, const auto& args) {
    std::fill_n(args.out.data, args.out.size, unreached);
    std::vector<std::uint32_t> stack{args.source};
    args.out[args.source] = 0;
    while (!stack.empty()) {
      const auto u = stack.back();
      stack.pop_back();
      for (Index e = args.offset[u]; e < args.offset[u + 1]; ++e)
        if (auto& level = args.out[args.target[e]]; level == unreached) {
          level = args.out[u] + 1;
          stack.push_back(args.target[e]);
        }
    }
  }
};

TEST_F(Checker, Bfs) {
  const std::vector<Shape> shapes{{{"vertices", 100}, {"edges", 300}}, {{"vertices", 2000}, {"edges", 7000}}};
  for (std::string_view kind : {"random", "power_law", "grid"})
    rejected<Bfs, no_op, all_zero, changes_input, writes_before, writes_behind, one_level_off<1>,
             one_level_off<-1>, deepest_unreached, all_unreached, only_source_reached, counted_from_one,
             from_another_source, one_level_only, levels_doubled, depth_first>(shapes, kind);
  for (std::string_view kind : {"random", "power_law"}) rejected<Bfs, unreached_reached>(shapes, kind);
  rejected<Bfs, one_level_off<1>, one_level_off<-1>, deepest_unreached, levels_doubled, from_another_source>(
      {{{"vertices", 97}, {"edges", 192}}}, "path");
  rejected<Bfs, only_source_reached, from_another_source, counted_from_one>(
      {{{"vertices", 97}, {"edges", 192}}}, "star");
}

}  // namespace
}  // namespace test
}  // namespace tallcache
