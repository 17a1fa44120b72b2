// The GPU's searches on directed graphs and from any source, which the operation's own inputs have not, with
// all ways to switch the direction, and again and again. Skipped without a device.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "common/execute.hpp"
#include "common/ops/bfs.hpp"
#include "tests/on_executor.hpp"
#include "tests/support.hpp"

namespace tallcache::test {
namespace {

using Levels = std::vector<std::int32_t>;
using Words = std::vector<std::uint32_t>;

/// A graph on the host and on the device.
class GpuSearches : public OnExecutor {
 protected:
  void make(Index vertices, const std::vector<Edges::Edge>& edges) {
    offset.assign(static_cast<std::size_t>(vertices) + 1, 0);
    target.assign(edges.size(), 0);
    build_graph(
        vertices, static_cast<Index>(edges.size()), [&](Index e) { return edges[e]; }, offset.data(),
        target.data());
    device_offset = uploaded(offset), device_target = uploaded(target);
  }
  /// Ends are the smaller of `skew` draws, so that a few vertices have most edges.
  void draw(Index vertices, Index edges, std::uint64_t seed, int skew) {
    const auto vertex = [&](std::uint64_t at) {
      std::uint64_t least = ~std::uint64_t{0};
      for (int i = 0; i < skew; ++i)
        least = std::min(least, random_up_to(seed + static_cast<std::uint64_t>(i), at,
                                             static_cast<std::uint64_t>(vertices) - 1));
      return static_cast<std::uint32_t>(least);
    };
    std::vector<Edges::Edge> all;
    for (std::uint64_t e = 0; e < static_cast<std::uint64_t>(edges); ++e)
      all.emplace_back(vertex(2 * e), vertex(2 * e + 1));
    make(vertices, all);
  }

  Levels expected(std::uint32_t source) const {
    Levels levels(offset.size() - 1, 42);
    const auto n = static_cast<Index>(levels.size());
    execute<Bfs>("bfs_queue", {{levels.data(), n},
                               {offset.data(), n + 1},
                               {target.data(), static_cast<Index>(target.size())},
                               source,
                               {}});
    return levels;
  }

  void expect_levels(std::string_view name, std::uint32_t source, const Levels& levels,
                     const Params& given = {}, int runs = 1) {
    const Variant& variant = find_variant(operation_of<Bfs>, name, "gpu");
    const Params params = complete_params(variant, given);
    const auto n = static_cast<Index>(levels.size()), m = static_cast<Index>(target.size());
    const std::size_t bytes = variant.scratch({{"vertices", n}, {"edges", m}}, params);
    const auto out = executor->allocate(levels.size() * sizeof(std::int32_t));
    const auto scratch = executor->allocate(std::max<std::size_t>(1, bytes));
    const Bfs::Args<> args{{place<std::int32_t>(*out, 0), n},
                           {place<const std::uint32_t>(*device_offset, 0), n + 1},
                           {place<const std::uint32_t>(*device_target, 0), m},
                           source,
                           Scratch<>(scratch->bytes().first(bytes))};
    for (int i = 0; i < runs; ++i) {
      Levels found(levels.size(), -7);
      executor->upload(*out, std::as_bytes(std::span(found)));
      run(variant, &args, params);
      executor->download(std::as_writable_bytes(std::span(found)), *out);
      ASSERT_TRUE(out->guards_intact() && scratch->guards_intact());
      ASSERT_EQ(std::ranges::mismatch(found, levels).in1 - found.begin(), n)
          << name << " " << to_string(params) << ", n = " << n << ", m = " << m << ", source " << source
          << ", run " << i;
    }
  }

  void expect_all(std::uint32_t source, int runs = 1) {
    const Levels levels = expected(source);
    for (const char* name : {"vertex_per_thread", "frontier_queue"})
      expect_levels(name, source, levels, {}, runs);
    // Never bottom up, by the rule, and whenever a level is large.
    for (const Index alpha : {1, 15, 1000000000})
      for (const Index beta : {1, 256, 1000000000})
        expect_levels("direction_bitmaps", source, levels, {{"alpha", alpha}, {"beta", beta}}, runs);
  }

  Words offset, target;
  std::unique_ptr<Memory> device_offset, device_target;

 private:
  std::unique_ptr<Memory> uploaded(const Words& words) {
    auto memory = executor->allocate(std::max<std::size_t>(1, words.size()) * sizeof(words[0]));
    executor->upload(*memory, std::as_bytes(std::span(words)));
    return memory;
  }
};

TEST_F(GpuSearches, DirectedGraphsHaveTheLevelsOfAQueue) {
  for (std::uint64_t i = 0; i < 30; ++i) {
    const auto n = static_cast<Index>(1 + random_up_to(11, 3 * i, i < 20 ? 3000 : 90000));
    const auto m = static_cast<Index>(random_up_to(11, 3 * i + 1, static_cast<std::uint64_t>(n) * 12));
    draw(n, m, 100 * i, 1 + static_cast<int>(i % 4));
    expect_all(static_cast<std::uint32_t>(random_up_to(11, 3 * i + 2, static_cast<std::uint64_t>(n) - 1)));
  }
}

// A level of one vertex and many edges, then one of many vertices, behind a path that one block searches.
TEST_F(GpuSearches, BroomOfAPathAndAStar) {
  std::vector<Edges::Edge> edges;
  for (std::uint32_t v = 0; v < 3000; ++v) edges.emplace_back(v, v + 1);
  for (std::uint32_t v = 3001; v < 50000; ++v) edges.emplace_back(3000, v), edges.emplace_back(v, v + 50000);
  make(100000, edges);
  for (const std::uint32_t source : {0u, 2999u, 3000u, 49999u, 99999u}) expect_all(source);
}

// Vertices of which each has many edges from what is never reached, and one, its last, from what is.
TEST_F(GpuSearches, ManyEdgesFromWhatIsNotReached) {
  std::vector<Edges::Edge> edges;
  const std::uint32_t reached = 2000;
  for (std::uint32_t v = 1; v <= reached; ++v) edges.emplace_back(0, v);
  for (std::uint32_t v = 1; v <= reached; ++v)
    for (std::uint32_t k = 0; k < 70; ++k) edges.emplace_back(5000 + k, 2500 + v);
  for (std::uint32_t v = 1; v <= reached; ++v) edges.emplace_back(v, 2500 + v);
  make(6000, edges);
  expect_all(0);
}

TEST_F(GpuSearches, ManyRunsHaveTheSameLevels) {
  draw(20000, 160000, 3, 2);
  expect_all(7, 100);
}

}  // namespace
}  // namespace tallcache::test
