// measure(): what runs, in which order and how often, what is reported, and that a wrong variant has no time.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tests/harness/scripted_executor.hpp"

namespace tallcache::test {
namespace {

struct right_once : Base {
  static inline int runs = 0;
  static void run(auto&, const auto& args, const Params&) {
    if (runs++ == 0) copy(args);
  }
};
struct fails_later : Base {
  static inline int runs = 0;
  static void run(auto&, const auto& args, const Params&) {
    if (runs++ > 1) throw Error("out of something");
    copy(args);
  }
};
struct not_here : Base {
  static std::string unavailable() { return "no such library"; }
  static void run(auto&, const auto&, const Params&) { ADD_FAILURE() << "ran"; }
};
struct not_this_shape : Base {
  static bool supports(const Shape& shape) { return shape["m"] > 1000; }
  static void run(auto&, const auto&, const Params&) { ADD_FAILURE() << "ran"; }
};
template <int timed>
struct phased : Base {
  static constexpr PhaseSpec phases[] = {{"preparation", false}, {"first"}, {"second", timed > 1}};
  template <std::size_t phase>
  static void run(auto&, const auto& args, const Params&) {
    if (phase == 2) copy(args);
  }
};
// `lasts`: the plan serves any number of runs.
template <bool lasts>
struct planned : Base {
  static constexpr PhaseSpec phases[] = {{"plan", false, lasts}, {"run"}};
  template <std::size_t phase>
  static void run(auto&, const auto& args, const Params&) {
    if (phase == 1) copy(args);
  }
};

class Harness : public testing::Test {
 protected:
  template <class V>
  Candidate candidate(char letter, double price) {
    const Variant& variant = variant_of<V>();
    for (Entry entry : variant.entries) {
      executor.price[entry] = price;
      executor.letter[entry] = letter;
    }
    return {&variant};
  }
  std::vector<Measurement> measured(std::initializer_list<Candidate> candidates, const Protocol& protocol) {
    return measure(workspace, std::span(candidates.begin(), candidates.size()), protocol,
                   [this](auto) { ++progress; });
  }

  ScriptedExecutor executor;
  Workspace workspace{{&operation_of<Op>, {{"m", 4}, {"n", 5}, {"pad", 1}}, {}}, executor};
  int progress = 0;
};

TEST_F(Harness, InterleavesAFixedNumberOfRounds) {
  const auto results = measured({candidate<honest<0>>('a', 0.002), candidate<honest<1>>('b', 0.004)},
                                {.min_rounds = 3, .max_rounds = 3, .seconds = 1});
  // Verification, a first round that finds out how long a run is, two more, verification.
  EXPECT_EQ(executor.log,
            "ab"
            "aabb"
            "ab"
            "ab"
            "ab");
  EXPECT_EQ(progress, 3);
  ASSERT_EQ(results.size(), 2u);
  for (const Measurement& result : results) {
    EXPECT_TRUE(result.outcome.measured());
    EXPECT_EQ(result.outcome.reason, "");
    EXPECT_EQ(result.samples_s.size(), 3u);
    EXPECT_EQ(result.mad_s(), 0);
    EXPECT_TRUE(result.phases.empty());
  }
  EXPECT_DOUBLE_EQ(results[0].median_s(), 0.002);
  EXPECT_DOUBLE_EQ(results[1].median_s(), 0.004);
}

TEST_F(Harness, RepeatsARunTooShortForTheClock) {
  const auto results = measured({candidate<honest<0>>('a', 1e-5)}, {.min_rounds = 2, .max_rounds = 2});
  EXPECT_EQ(executor.times_log, (std::vector<int>{1, 1, 100, 100, 1}));
  EXPECT_NEAR(results[0].median_s(), 1e-5, 1e-12);
}

TEST_F(Harness, RepeatsARunWithoutAPlanThatLasts) {
  const Protocol protocol{.min_rounds = 1, .max_rounds = 1, .seconds = 1};
  const auto with_plan = measured({candidate<planned<true>>('a', 1e-5)}, protocol);
  EXPECT_EQ(std::ranges::max(executor.times_log), 100);
  EXPECT_DOUBLE_EQ(with_plan[0].median_s(), 1e-5);
  // Each call of the plan is one.
  for (std::size_t call = 0; call < executor.times_log.size(); call += 2)
    EXPECT_EQ(executor.times_log[call], 1) << call;
  executor.times_log.clear();
  const auto without = measured({candidate<planned<false>>('a', 1e-5)}, protocol);
  EXPECT_EQ(std::ranges::max(executor.times_log), 1);
  EXPECT_DOUBLE_EQ(without[0].median_s(), 1e-5);
}

TEST_F(Harness, StopsWhenItsTimeIsUsed) {
  const auto results =
      measured({candidate<honest<0>>('a', 0.3)}, {.min_rounds = 2, .max_rounds = 25, .seconds = 1});
  EXPECT_EQ(results[0].samples_s.size(), 3u);  // a fourth would end after 1.2 s
}

TEST_F(Harness, CountsTheVerifiedRunsOfASlowVariant) {
  auto results = measured({candidate<honest<0>>('a', 10)}, {.min_rounds = 5, .max_rounds = 25, .seconds = 1});
  EXPECT_EQ(results[0].samples_s.size(), 5u);
  EXPECT_EQ(executor.log, "aaaaa");
  EXPECT_EQ(results[0].median_s(), 10);
  executor.log.clear();
  results = measured({candidate<honest<0>>('a', 10)}, {.min_rounds = 1, .max_rounds = 25, .seconds = 1});
  EXPECT_EQ(results[0].samples_s.size(), 2u);
  EXPECT_EQ(executor.log, "aa");
}

TEST_F(Harness, FlushesBeforeEveryColdRun) {
  const auto results = measured({candidate<honest<0>>('a', 1e-5), candidate<honest<1>>('b', 1e-5)},
                                {.min_rounds = 2, .max_rounds = 2, .cold = true});
  EXPECT_EQ(executor.log,
            "ab"
            "|a|b"
            "|a|b"
            "ab");
  EXPECT_EQ(results[0].samples_s.size(), 2u);
}

TEST_F(Harness, GivesAWrongVariantNoTime) {
  const auto results = measured({candidate<no_op>('x', 0.01), candidate<honest<0>>('a', 0.01)},
                                {.min_rounds = 2, .max_rounds = 2});
  EXPECT_FALSE(results[0].outcome.measured());
  EXPECT_NE(results[0].outcome.reason.find("wrong result: (0, 0): expected"), std::string::npos)
      << results[0].outcome.reason;
  EXPECT_EQ(results[0].samples_s.size(), 0u);
  EXPECT_EQ(std::ranges::count(executor.log, 'x'), 1);
  EXPECT_TRUE(results[1].outcome.measured());
  EXPECT_EQ(results[1].samples_s.size(), 2u);
}

TEST_F(Harness, CatchesAVariantThatTurnsWrong) {
  right_once::runs = 0;
  const auto results = measured({candidate<right_once>('x', 0.01), candidate<honest<0>>('a', 0.01)},
                                {.min_rounds = 3, .max_rounds = 3});
  EXPECT_FALSE(results[0].outcome.measured());
  EXPECT_NE(results[0].outcome.reason.find("after timing"), std::string::npos) << results[0].outcome.reason;
  EXPECT_EQ(results[0].samples_s.size(), 0u);
  EXPECT_TRUE(std::isnan(results[0].median_s()));
  EXPECT_EQ(results[0].outcome.status, Status::wrong);
  EXPECT_TRUE(results[1].outcome.measured());
}

TEST_F(Harness, LosesNothingWhenAVariantFailsInARound) {
  fails_later::runs = 0;
  const auto results = measured({candidate<fails_later>('x', 0.01), candidate<honest<0>>('a', 0.01)},
                                {.min_rounds = 3, .max_rounds = 3});
  EXPECT_FALSE(results[0].outcome.measured());
  EXPECT_EQ(results[0].outcome.status, Status::failed);
  EXPECT_EQ(results[0].outcome.reason, "out of something");
  EXPECT_EQ(results[0].samples_s.size(), 0u);
  EXPECT_EQ(results[1].samples_s.size(), 3u);
}

TEST_F(Harness, SaysWhyAVariantDoesNotRun) {
  const auto results = measured({candidate<not_here>('x', 1), candidate<not_this_shape>('y', 1)}, {});
  EXPECT_EQ(results[0].outcome.status, Status::unavailable);
  EXPECT_EQ(results[0].outcome.reason, "no such library");
  EXPECT_EQ(results[1].outcome.status, Status::unsupported);
  EXPECT_EQ(results[1].outcome.reason, "does not support this shape");
  for (const Measurement& result : results) EXPECT_FALSE(result.outcome.measured());
  EXPECT_EQ(executor.log, "");
}

TEST_F(Harness, RejectsParametersThatAVariantDoesNotHave) {
  Candidate wrong = candidate<honest<0>>('a', 0.01);
  wrong.params.set("tile", 3);
  const auto results = measured({wrong}, {});
  EXPECT_NE(results[0].outcome.reason.find("no parameters"), std::string::npos) << results[0].outcome.reason;
}

TEST_F(Harness, TimesPhasesApart) {
  const Candidate both = candidate<phased<2>>('p', 0), one = candidate<phased<1>>('q', 0);
  for (const Candidate& c : {both, one}) {
    executor.price[c.variant->entries[0]] = 100;
    executor.price[c.variant->entries[1]] = 0.25;
    executor.price[c.variant->entries[2]] = 0.5;
  }
  const auto results = measured({both, one}, {.min_rounds = 2, .max_rounds = 2, .seconds = 2});
  EXPECT_DOUBLE_EQ(results[0].median_s(), 0.75);
  using Phases = std::vector<std::pair<std::string, double>>;
  EXPECT_EQ(results[0].phases, (Phases{{"first", 0.25}, {"second", 0.5}}));
  EXPECT_DOUBLE_EQ(results[1].median_s(), 0.25);
  EXPECT_TRUE(results[1].phases.empty());
  const auto seconds = workspace.run(both);
  EXPECT_TRUE(std::isnan(seconds[0]));
}

}  // namespace
}  // namespace tallcache::test
