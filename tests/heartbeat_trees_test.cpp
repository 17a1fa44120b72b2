// Random trees under the heartbeat policy do what the serial elision does, on any number of threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <iostream>

#include "tests/heartbeat_trees.hpp"

namespace tallcache::test {
namespace {

TEST(Heartbeat, RandomTreesAreTheElision) {
  const Impatience promoting;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    const Tree tree{seed, static_cast<int>(3 + seed % 7),
                    std::array<std::uint64_t, 4>{0, 1, 3, 20}[seed % 4]};
    const auto expected = outcome(tree, Serial{});
    for (int threads : thread_counts()) ASSERT_EQ(outcome(tree, Heartbeat{threads}), expected) << seed;
  }
  expect_nothing_left();
}

// Of two branches that throw, the first one's exception is thrown, as by the elision; of iterations any.
TEST(Heartbeat, RandomExceptionsAreCarried) {
  const Impatience promoting;
  int thrown = 0;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    const Tree tree{seed, static_cast<int>(3 + seed % 6), 1 + seed % 3, 40, seed % 2 == 0};
    const auto expected = outcome(tree, Serial{});
    thrown += !expected.first;
    for (int threads : thread_counts()) {
      const auto found = outcome(tree, Heartbeat{threads});
      ASSERT_EQ(found.first, expected.first) << seed;
      if (!tree.loops) {
        ASSERT_EQ(found, expected) << seed;
      }
    }
  }
  EXPECT_GT(thrown, 500);
  EXPECT_LT(thrown, 2500);
  expect_nothing_left();
}

constexpr int many_trees = sanitized ? 50'000 : 1'000'000;

/// The i-th of many small trees.
Tree small_tree(int i) {
  const auto seed = static_cast<std::uint64_t>(i);
  return {.seed = seed,
          .depth = static_cast<int>(1 + random_up_to(seed, 1, 4)),
          .beats = std::array<std::uint64_t, 4>{0, 1, 3, 20}[random_up_to(seed, 2, 3)],
          .throws = std::array<std::uint64_t, 4>{0, 0, 9, 30}[random_up_to(seed, 3, 3)],
          .loops = random_up_to(seed, 4, 7) == 0};
}

// Every node begins once, ends before its tree does, and what one throws arrives. Where several throw under
// the elision's order, only the first one does; the others may not begin.
TEST(Heartbeat, AMillionRandomTreesAreTheElision) {
  const int counts = std::min(usable_threads(), 16);
  int threw = 0;
  std::int64_t nodes = 0;
  Nodes::is_caller = true;
  Nodes::elsewhere = 0;
  for (int i = 0; i < many_trees; ++i) {
    const Tree tree = small_tree(i);
    Nodes::begun = Nodes::thrown = 0;
    const auto expected = outcome(tree, Serial{});
    const std::int64_t begun = Nodes::begun.exchange(0), thrown = Nodes::thrown.exchange(0);
    ASSERT_EQ(thrown, !expected.first);
    detail::promote_always = i % 4 != 0;  // else by time
    const auto found = outcome(tree, Heartbeat{1 + i % counts});
    ASSERT_EQ(Nodes::running, 0) << i << ": a node runs on";
    ASSERT_EQ(found.first, expected.first) << i;
    if (!tree.loops || found.first) {
      ASSERT_EQ(found, expected) << i;
    }
    ASSERT_EQ(Nodes::thrown > 0, !found.first) << i;
    if (found.first) {
      ASSERT_EQ(Nodes::begun, begun) << i;
    }
    threw += !found.first;
    nodes += Nodes::begun;
  }
  detail::promote_always = false;
  Nodes::is_caller = false;
  expect_nothing_left();
  EXPECT_GT(threw, many_trees / 20);
  EXPECT_LT(threw, many_trees / 2);
  EXPECT_EQ(Nodes::elsewhere > 0, counts > 1);
  std::cout << many_trees << " trees of " << nodes << " nodes on 1 to " << counts << " threads: " << threw
            << " threw, other threads ran " << Nodes::elsewhere << " nodes\n";
}

}  // namespace
}  // namespace tallcache::test
