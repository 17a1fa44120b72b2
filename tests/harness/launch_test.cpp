// measure() on a device: what is made before any time, runs as graphs beside plain ones, and the names of
// both in a profiler.
#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "tests/harness/scripted_executor.hpp"

namespace tallcache::test {
namespace {

struct fails_when_it_runs : Base {
  static void run(auto&, const auto&, const Params&) { throw Error("out of something"); }
};

class Launching : public testing::Test {
 protected:
  void SetUp() override { executor.has_stream = executor.has_graphs = true; }

  template <class V>
  Candidate candidate(char letter, LaunchMode launch, double price, double graph_price = 0) {
    const Variant& variant = variant_of<V>("letter");
    executor.price[variant.entries[0]] = price;
    if (graph_price > 0) executor.graph_price[variant.entries[0]] = graph_price;
    executor.letter[variant.entries[0]] = letter;
    return {.variant = &variant, .launch = launch};
  }
  std::vector<Measurement> measured(std::initializer_list<Candidate> candidates, const Protocol& protocol) {
    return measure(workspace, std::span(candidates.begin(), candidates.size()), protocol);
  }

  ScriptedExecutor executor;
  Workspace workspace{{&operation_of<Op>, {{"m", 4}, {"n", 5}, {"pad", 1}}, {}}, executor};
};

TEST_F(Launching, APlainRunComesBeforeTheVerifiedOneWhereThereAreStreams) {
  const Candidate plain = candidate<honest<10>>('a', LaunchMode::plain, 0.002);
  measured({plain}, {.min_rounds = 2, .max_rounds = 2});
  EXPECT_EQ(executor.log, "aaaaaa");  // prepared, verified, how long is a run, two rounds, verified
  executor.log.clear();
  executor.has_stream = false;
  measured({plain}, {.min_rounds = 2, .max_rounds = 2});
  EXPECT_EQ(executor.log, "aaaaa");
}

TEST_F(Launching, AGraphIsPreparedPlainVerifiedAndTimedInTheSameRounds) {
  const auto results = measured({candidate<honest<10>>('a', LaunchMode::plain, 0.004, 0.002),
                                 candidate<honest<10>>('a', LaunchMode::graph, 0.004, 0.002)},
                                {.min_rounds = 3, .max_rounds = 3});
  EXPECT_EQ(executor.log,
            "aaa^A"
            "aaAA"
            "aA"
            "aA"
            "a^A");
  ASSERT_EQ(results.size(), 2u);
  EXPECT_DOUBLE_EQ(results[0].median_s(), 0.004);
  EXPECT_DOUBLE_EQ(results[1].median_s(), 0.002);
  EXPECT_EQ(results[0].candidate.launch, LaunchMode::plain);
  EXPECT_EQ(results[1].candidate.launch, LaunchMode::graph);
  for (const Measurement& result : results) EXPECT_TRUE(result.outcome.measured());
}

// A capture behind the flush would leave the device waiting for the host in the time of the run.
TEST_F(Launching, AGraphIsCapturedBeforeTheCachesAreFlushed) {
  measured({candidate<honest<10>>('a', LaunchMode::graph, 0.004, 0.002),
            candidate<honest<11>>('b', LaunchMode::plain, 0.004)},
           {.min_rounds = 3, .max_rounds = 3, .cold = true});
  EXPECT_EQ(executor.log,
            "a^Abb"  // the second one's scratch is another
            "^|A|b"
            "|A|b"
            "|A|b"
            "^Ab");
}

struct wants_scratch : Base {
  static std::size_t scratch(Op, const Shape&, const Params&) { return 1 << 12; }
  static void run(auto&, const auto& args, const Params&) { copy(args); }
};

// One that is captured with scratch that has gone would write into freed memory.
TEST_F(Launching, AGraphIsCapturedAgainWhenTheScratchIsAnother) {
  const Candidate small = candidate<honest<10>>('a', LaunchMode::graph, 0.004, 0.002);
  const Candidate large = candidate<wants_scratch>('b', LaunchMode::graph, 0.004, 0.002);
  workspace.run(small);
  workspace.run(small);
  EXPECT_EQ(executor.log, "^AA");
  workspace.run(large);
  workspace.run(small);
  workspace.run(large);
  workspace.run(small);
  EXPECT_EQ(executor.log, "^AA^B^ABA");
}

TEST_F(Launching, AShortGraphIsStartedManyTimesASample) {
  const auto results = measured({candidate<honest<10>>('a', LaunchMode::graph, 1e-4, 1e-5)},
                                {.min_rounds = 2, .max_rounds = 2});
  EXPECT_EQ(executor.times_log, (std::vector<int>{1, 1, 1, 100, 100, 1}));
  EXPECT_NEAR(results[0].median_s(), 1e-5, 1e-12);
}

// The plain run before it left the right result in the outputs.
TEST_F(Launching, AGraphThatDoesNothingIsWrong) {
  executor.graphs_do_nothing = true;
  const auto results = measured({candidate<honest<10>>('a', LaunchMode::graph, 0.004, 0.002)},
                                {.min_rounds = 2, .max_rounds = 2});
  EXPECT_EQ(results[0].outcome.status, Status::wrong) << results[0].outcome.reason;
  EXPECT_FALSE(results[0].timed());
  EXPECT_TRUE(std::isnan(results[0].median_s()));
}

TEST_F(Launching, WhatCannotBeCapturedIsUnsupportedAndKeepsNoOtherAway) {
  const auto results = measured({candidate<honest<10>>('a', LaunchMode::graph, 0.004),
                                 candidate<honest<11>>('b', LaunchMode::graph, 0.004, 0.002)},
                                {.min_rounds = 2, .max_rounds = 2});
  EXPECT_EQ(results[0].outcome.status, Status::unsupported);
  EXPECT_EQ(results[0].outcome.reason, "cannot be captured: it allocates");
  EXPECT_FALSE(results[0].timed());
  EXPECT_TRUE(results[1].outcome.measured());
}

TEST_F(Launching, AnExecutorWithoutGraphsSaysSo) {
  executor.has_graphs = false;
  auto results = measured({candidate<honest<10>>('a', LaunchMode::graph, 0.004, 0.002)}, {});
  EXPECT_EQ(results[0].outcome.status, Status::unsupported);
  EXPECT_EQ(results[0].outcome.reason, "not started as a graph: its backend has none");
  const auto host = make_executor("cpu");
  Workspace on_host({&operation_of<Op>, {{"m", 4}, {"n", 5}, {"pad", 1}}, {}}, *host);
  const Candidate graph{.variant = &variant_of<honest<10>>("letter"), .launch = LaunchMode::graph};
  results = measure(on_host, std::span(&graph, 1), {});
  EXPECT_EQ(results[0].outcome.status, Status::unsupported);
}

TEST_F(Launching, EveryRunIsARangeOfAProfiler) {
  measured({candidate<honest<10>>('a', LaunchMode::graph, 0.004, 0.002)}, {.min_rounds = 1, .max_rounds = 1});
  const std::string plain = "copy letter float m=4,n=5,pad=1", graph = plain + ", graph";
  EXPECT_EQ(executor.ranges, (std::vector<std::string>{plain, graph, graph, graph, graph}));
  EXPECT_EQ(executor.open_ranges, 0);
  measured({candidate<fails_when_it_runs>('x', LaunchMode::plain, 0.1)}, {});
  EXPECT_EQ(executor.ranges.size(), 6u);
  EXPECT_EQ(executor.open_ranges, 0) << "a run that fails ends its range, too";
}

}  // namespace
}  // namespace tallcache::test
