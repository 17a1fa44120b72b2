// The search in two directions on directed graphs, which the operation's own inputs are not, and the set of
// vertices that it keeps.
#include "cpu/bfs/bfs_direction_optimizing.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "common/execute.hpp"
#include "common/fork/parallel.hpp"

namespace tallcache::test {
namespace {

using cpu::bfs::VertexSet;

struct DirectedGraph {
  std::vector<std::uint32_t> offset, target;
  std::uint32_t source = 0;

  /// `skew`: ends are the smaller of so many draws, so that a few vertices have most edges.
  DirectedGraph(Index vertices, Index edges, std::uint64_t seed, int skew)
      : offset(static_cast<std::size_t>(vertices) + 1), target(static_cast<std::size_t>(edges)) {
    const auto vertex = [&](std::uint64_t at) {
      std::uint64_t least = ~std::uint64_t{0};
      for (int i = 0; i < skew; ++i)
        least = std::min(least, random_up_to(seed + static_cast<std::uint64_t>(i), at,
                                             static_cast<std::uint64_t>(vertices) - 1));
      return static_cast<std::uint32_t>(least);
    };
    build_graph(
        vertices, edges,
        [&](Index e) {
          return Edges::Edge{vertex(2 * static_cast<std::uint64_t>(e)),
                             vertex(2 * static_cast<std::uint64_t>(e) + 1)};
        },
        offset.data(), target.data());
    source = vertex(~std::uint64_t{0});
  }

  std::vector<std::int32_t> levels(std::string_view variant, const Params& params = {},
                                   int threads = 1) const {
    std::vector<std::int32_t> out(offset.size() - 1, -7);
    const Index n = static_cast<Index>(out.size()), m = static_cast<Index>(target.size());
    execute<Bfs>(variant, {{out.data(), n}, {offset.data(), n + 1}, {target.data(), m}, source, {}}, params,
                 threads);
    return out;
  }
};

TEST(BfsDirections, DirectedGraphsHaveTheLevelsOfAQueue) {
  for (std::uint64_t draw = 0; draw < 40; ++draw) {
    const auto n = static_cast<Index>(1 + random_up_to(11, 3 * draw, draw < 30 ? 3000 : 90000));
    const auto m = static_cast<Index>(random_up_to(11, 3 * draw + 1, static_cast<std::uint64_t>(n) * 12));
    const DirectedGraph graph(n, m, 100 * draw, 1 + static_cast<int>(draw % 4));
    const auto expected = graph.levels("bfs_queue");
    // Never bottom up, by the rule, and whenever a level is no list.
    for (const char* const alpha : {"1", "15", "1000000000"})
      for (const char* const beta : {"1", "18", "1000000000"}) {
        const Params params = parse_params(find_variant(operation_of<Bfs>, "bfs_direction_optimizing"),
                                           "alpha=" + std::string(alpha) + ",beta=" + beta);
        ASSERT_EQ(graph.levels("bfs_direction_optimizing", params), expected)
            << "draw " << draw << ": n = " << n << ", m = " << m << ", alpha " << alpha << ", beta " << beta;
      }
    ASSERT_EQ(graph.levels("bfs_direction_optimizing", {}, usable_threads()), expected)
        << "draw " << draw << " on all threads";
  }
}

/// The vertices of the set in order, which is then empty.
std::vector<Index> taken(const VertexSet<Plain>& set, int level, Index word) {
  std::vector<Index> list;
  for (auto rest = set.take(level, word); rest; rest &= rest - 1) {
    const Index child = word * VertexSet<Plain>::bits + std::countr_zero(rest);
    if (level == 0) {
      list.push_back(child);
    } else {
      const auto below = taken(set, level - 1, child);
      list.insert(list.end(), below.begin(), below.end());
    }
  }
  return list;
}

struct OwnedSet {
  std::vector<std::byte> memory;
  VertexSet<Plain> set;
  explicit OwnedSet(Index vertices)
      : memory(VertexSet<Plain>::scratch(vertices) + 64, std::byte{0xff}), set(make(vertices)) {
    Serial fork;
    set.clear(fork);
  }
  VertexSet<Plain> make(Index vertices) {
    void* data = memory.data();
    std::size_t size = memory.size();
    std::align(64, size - 64, data, size);
    Scratch<> scratch({static_cast<std::byte*>(data), VertexSet<Plain>::scratch(vertices)});
    return {vertices, scratch};
  }
};

TEST(VertexSet, HoldsWhatWasInserted) {
  for (const Index n : {1, 63, 64, 65, 4095, 4096, 4097, 262144, 262145, 1000003}) {
    const OwnedSet owned(n);
    std::set<Index> expected{0, n - 1};
    for (std::uint64_t i = 0; i < 500; ++i)
      expected.insert(static_cast<Index>(random_up_to(5, i, static_cast<std::uint64_t>(n) - 1)));
    run_parallel(usable_threads(), [&](auto& fork) {
      const std::vector<Index> list(expected.begin(), expected.end());
      fork.loop(0, static_cast<Index>(list.size()), 1,
                [&](Index i) { owned.set.insert(list[i]), owned.set.insert(list[i]); });
    });
    for (const Index v : expected) EXPECT_TRUE(owned.set.has(v)) << v << " of " << n;
    EXPECT_EQ(taken(owned.set, owned.set.levels() - 1, 0),
              std::vector<Index>(expected.begin(), expected.end()))
        << n;
    EXPECT_TRUE(taken(owned.set, owned.set.levels() - 1, 0).empty()) << n;
    // The same by whole blocks.
    for (Index b = 0; b < owned.set.blocks(); ++b)
      owned.set.fill_block(b, [&](Index word) {
        std::uint64_t bits = 0;
        for (Index bit = 0; bit < 64; ++bit) bits |= std::uint64_t{expected.contains(64 * word + bit)} << bit;
        return bits;
      });
    owned.set.join();
    EXPECT_EQ(taken(owned.set, owned.set.levels() - 1, 0),
              std::vector<Index>(expected.begin(), expected.end()))
        << n;
  }
}

}  // namespace
}  // namespace tallcache::test
