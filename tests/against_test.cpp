// Two runs compared: synthetic documents with the noise of a clock within a run and of the machine between
// runs.
#include "bench/results/names.hpp"
#include "bench/show/against_text.hpp"

#include <gtest/gtest.h>

#include <random>

#include "common/measure/bootstrap.hpp"
#include "common/measure/median_interval.hpp"
#include "common/measure/statistics.hpp"

namespace tallcache {
namespace {

constexpr int count = 400, samples = 9;
// Relative deviations: of a run's samples, and of a record between two runs.
constexpr double sample_noise = 0.02, run_noise = 0.01;

struct Setting {
  double machine = 1;  ///< the time of everything on this machine
  double ours = 1;     ///< the time of all variants but the libraries
  int planted = 0;     ///< the first so many records that are ours take `factor` times as long
  double factor = 1;
  bool limits = true, peers = true;
};

void put_time(Record& record, double seconds, std::mt19937_64& random) {
  std::normal_distribution<double> noise(0, sample_noise);
  std::vector<double> times(samples);
  for (double& time : times) time = seconds * std::exp(noise(random));
  record.outcome.status = Status::measured;
  record.quantities = {{.name = "time",
                        .unit = "s",
                        .value = median(times),
                        .spread = median_absolute_deviation(times),
                        .samples = times},
                       {.name = "work", .unit = "B", .value = 1e6, .origin = Origin::formula}};
}

Record limit_record(const char* operation, const char* variant, double rate) {
  Record record{.operation = operation, .variant = variant, .backend = "cpu", .element = "byte"};
  record.outcome.status = Status::measured;
  record.quantities = {{.name = "median rate", .unit = "GB/s", .value = rate, .spread = rate / 100},
                       {.name = "rounds", .unit = "1", .value = 30}};
  return record;
}

// One run of a suite: 400 records on one core, each fifth of a library. The seed is that of its noise.
Document run_of(std::uint64_t seed, const Setting& setting = {}) {
  std::mt19937_64 random(seed), true_times(7);
  std::uniform_real_distribution<double> magnitude(-6, 0);
  std::normal_distribution<double> between(0, run_noise);
  Document document{.kind = "compare"};
  document.context = {{"cpu", "a processor"},
                      {"date", "2026-01-01T00:00:00Z"},
                      {"build", {{"commit", "c"}, {"compiler", "g"}, {"flags", "-O3"}}}};
  if (setting.limits)
    document.limits.push_back(limit_record("memory_traffic", "copy (memcpy)", 10 / setting.machine));
  for (int i = 0, ours = 0; i < count; ++i) {
    Record record{.operation = i % 2 ? "sort" : "transpose",
                  .variant = "v" + std::to_string(i),
                  .backend = "cpu",
                  .element = "float"};
    record.shape = {{"n", i}};
    const double seconds = std::pow(10, magnitude(true_times)) * setting.machine * std::exp(between(random));
    record.peer = setting.peers && i % 5 == 0;
    const double factor = record.peer ? 1 : setting.ours * (ours++ < setting.planted ? setting.factor : 1);
    put_time(record, seconds * factor, random);
    document.measurements.push_back(std::move(record));
  }
  return document;
}

struct Flags {
  int slower = 0, faster = 0;
};

Flags flags_of(const RunComparison& comparison) {
  Flags flags;
  for (const RecordChange& change : comparison.changes)
    flags.slower += change.slower(), flags.faster += change.faster();
  return flags;
}

TEST(Against, TwoRunsOfOneCommitFlagAtMostOnePercent) {
  int flagged = 0;
  constexpr int pairs = 10;
  for (std::uint64_t pair = 0; pair < pairs; ++pair) {
    const Document before = run_of(2 * pair),
                   now = run_of(2 * pair + 1, {.machine = 1.0 + 0.02 * double(pair)});
    const RunComparison comparison = compare_runs(now, before);
    ASSERT_EQ(comparison.changes.size(), count);
    const Flags flags = flags_of(comparison);
    EXPECT_LE(flags.slower + flags.faster, count / 50) << "pair " << pair;
    flagged += flags.slower + flags.faster;
  }
  EXPECT_LE(flagged, pairs * count / 100);
}

TEST(Against, TenPercentArePlantedAndFound) {
  constexpr int planted = 20, pairs = 5;
  int all = 0;
  for (std::uint64_t pair = 0; pair < pairs; ++pair) {
    const Document before = run_of(100 + 2 * pair),
                   now = run_of(101 + 2 * pair, {.machine = 1.05, .planted = planted, .factor = 1.1});
    const RunComparison comparison = compare_runs(now, before);
    int found = 0, others = 0, ours = 0;
    for (const RecordChange& change : comparison.changes) {
      const bool is_planted = !change.now->peer && ours++ < planted;
      if (is_planted) {
        EXPECT_NEAR(change.ratio, 1.1, 0.07) << run_name(*change.now);
      }
      (is_planted ? found : others) += change.slower();
    }
    EXPECT_GE(found, planted - 2) << "pair " << pair;
    all += found;
    EXPECT_LE(others, count / 100) << "pair " << pair;
  }
  EXPECT_GE(all, pairs * planted * 0.95);
}

TEST(Against, ASlowdownOfAllOfOursIsNotTakenForTheMachine) {
  const Document before = run_of(1), now = run_of(2, {.ours = 1.15});
  const Flags flags = flags_of(compare_runs(now, before));
  EXPECT_GT(flags.slower, count / 2);
  EXPECT_LE(flags.faster, count / 100);
}

TEST(Against, ASlowerMachineIsNormalisedByItsLimitsAndByItsLibraries) {
  const auto slower = [](bool limits, bool peers) {
    const Setting before{.limits = limits, .peers = peers};
    Setting now = before;
    now.machine = 1.3;
    const Document a = run_of(3, before), b = run_of(4, now);
    return flags_of(compare_runs(b, a)).slower;
  };
  EXPECT_LE(slower(true, false), count / 100);
  EXPECT_LE(slower(false, true), count / 100);
  EXPECT_LE(slower(true, true), count / 100);
  EXPECT_GT(slower(false, false), count / 2);
}

TEST(Against, FasterGoneNewAndUntimedAreTold) {
  Document before = run_of(5), now = run_of(6, {.planted = 3, .factor = 0.7});
  before.measurements.erase(before.measurements.begin() + 20);
  now.measurements.erase(now.measurements.begin() + 30);
  now.measurements[10].outcome = {Status::unavailable, "no such library here"};
  now.measurements[40].quantities = {{.name = "misses", .unit = "1", .value = 7, .origin = Origin::model}};
  const RunComparison comparison = compare_runs(now, before);
  EXPECT_EQ(comparison.changes.size(), count - 4);
  EXPECT_EQ(comparison.gone.size(), 3);
  EXPECT_EQ(comparison.added.size(), 1);
  EXPECT_EQ(comparison.untimed, 1);
  EXPECT_GE(flags_of(comparison).faster, 3);
  const std::string text = against_text(comparison, now, before);
  for (const char* part :
       {"Faster:", "Gone:", "New:", "no such library here", "v20", "v30", "copy, one core"})
    EXPECT_NE(text.find(part), text.npos) << part << "\n" << text;
}

// What was right and is wrong now is no matter of speed: it does not pass as gone.
TEST(Against, WrongAndFailedRecordsDoNotPass) {
  const Document before = run_of(14), same = run_of(15);
  constexpr double no_limit = 1e6;
  EXPECT_EQ(failure_of(compare_runs(same, before), no_limit), "");
  const auto with = [&](Status status) {
    Document now = same;
    now.measurements[10].outcome = {status, "planted"};
    now.measurements[10].quantities.clear();
    return now;
  };
  for (const Status status : {Status::wrong, Status::failed}) {
    const Document now = with(status);
    const RunComparison comparison = compare_runs(now, before);
    ASSERT_EQ(comparison.broken.size(), 1);
    EXPECT_TRUE(comparison.gone.empty());
    const std::string failure = failure_of(comparison, no_limit);
    EXPECT_TRUE(failure.starts_with("1 record is wrong or failed; the first is ")) << failure;
    EXPECT_NE(failure.find("v10"), failure.npos) << failure;
    const std::string text = against_text(comparison, now, before);
    EXPECT_NE(text.find("Broken:"), text.npos) << text;
    EXPECT_NE(text.find("1 are broken, 0 gone"), text.npos) << text;
    // One that failed before fails for the reason that it had; one that was wrong is wrong.
    EXPECT_EQ(failure_of(compare_runs(now, now), no_limit).empty(), status == Status::failed);
  }
  // What cannot run here, or was not asked to, is said and passes.
  for (const Status status :
       {Status::unavailable, Status::unsupported, Status::too_large, Status::left_out, Status::pending}) {
    const Document now = with(status);
    const RunComparison comparison = compare_runs(now, before);
    EXPECT_EQ(comparison.gone.size(), 1);
    EXPECT_EQ(failure_of(comparison, no_limit), "");
  }
  // Where nothing is left to be timed, too; and one of several runs is enough.
  Document all = with(Status::wrong), old = before;
  for (Document* document : {&all, &old}) document->measurements = {document->measurements[10]};
  EXPECT_NE(failure_of(compare_runs(all, old), no_limit), "");
}

TEST(Against, FiguresInOtherUnitsAreRefused) {
  const Document before = run_of(16);
  Document limits = run_of(17), work = run_of(18);
  limits.limits[0].quantities[0].unit = "GFLOP/s";
  EXPECT_THROW(compare_runs(limits, before), Error);
  work.measurements[7].quantities[1].unit = "flop";
  EXPECT_THROW(compare_runs(work, before), Error);
  work.measurements[7].quantities[1].unit = "B";
  EXPECT_NO_THROW(compare_runs(work, before));
}

TEST(Against, OtherMachinesFlagsAndKindsAreTold) {
  const Document before = run_of(7);
  Document now = run_of(8);
  EXPECT_TRUE(compare_runs(now, before).differences.empty());
  now.context["cpu"] = "another";
  now.context["build"]["flags"] = "-O1";
  now.context["build"]["commit"] = "d";
  const RunComparison comparison = compare_runs(now, before);
  ASSERT_EQ(comparison.differences.size(), 2);
  EXPECT_EQ(comparison.differences[0], "processor: another here, a processor before");
  EXPECT_EQ(comparison.differences[1], "flags: -O1 here, -O3 before");
  now.kind = "peers";
  EXPECT_THROW(compare_runs(now, before), Error);
  Document none = run_of(9);
  none.measurements.clear();
  EXPECT_THROW(compare_runs(none, before), Error);
}

TEST(Against, OnlyWhatIsSlowerByMoreThanTheLimitFails) {
  const Document before = run_of(10), now = run_of(11, {.planted = 5, .factor = 1.5});
  const RunComparison comparison = compare_runs(now, before);
  const auto above = slower_than(comparison, 1.3);
  ASSERT_EQ(above.size(), 5);
  for (std::size_t i = 1; i < above.size(); ++i) EXPECT_GE(above[i - 1]->ratio, above[i]->ratio);
  EXPECT_TRUE(slower_than(comparison, 2).empty());
}

TEST(Against, FewRecordsDoNotTellTheNoiseOfARun) {
  Document before = run_of(12, {.limits = false}),
           now = run_of(13, {.planted = 1, .factor = 1.3, .limits = false});
  for (Document* document : {&before, &now}) document->measurements.resize(3);
  const Flags flags = flags_of(compare_runs(now, before));
  EXPECT_EQ(flags.slower, 1);
  EXPECT_EQ(flags.faster, 0);
}

// Processes of one program each: a level of its own, and other work that makes a sixth of them slower.
std::vector<Document> in_turn(std::uint64_t seed, int runs, const Setting& setting = {}) {
  std::vector<Document> documents;
  std::mt19937_64 random(seed);
  for (int run = 0; run < runs; ++run) {
    documents.push_back(run_of(random(), setting));
    for (Record& record : documents.back().measurements)
      if (random() % 6 == 0)
        for (double& sample : record.quantities[0].samples) sample *= 1.5;
  }
  return documents;
}

TEST(InTurn, OnePercentAreFlaggedAndTenPercentAreFound) {
  constexpr int planted = 20, runs = 24;
  const auto before = in_turn(1, runs), same = in_turn(2, runs),
             slower = in_turn(3, runs, {.planted = planted, .factor = 1.1});
  const RunComparison none = compare_in_turn(same, before);
  ASSERT_EQ(none.changes.size(), count);
  EXPECT_EQ(none.turns, runs);
  EXPECT_LE(flags_of(none).slower + flags_of(none).faster, count / 100);
  int found = 0, others = 0, ours = 0;
  const RunComparison comparison = compare_in_turn(slower, before);
  for (const RecordChange& change : comparison.changes)
    (!change.now->peer && ours++ < planted ? found : others) += change.slower();
  EXPECT_GE(found, planted * 9 / 10);
  EXPECT_LE(others, count / 100);
}

TEST(InTurn, FewPairsGoneNewAndKindsAreTold) {
  auto before = in_turn(4, 8), now = in_turn(5, 8);
  for (Document& document : before) document.measurements.erase(document.measurements.begin() + 20);
  for (Document& document : now) document.measurements.erase(document.measurements.begin() + 30);
  const RunComparison comparison = compare_in_turn(now, before);
  EXPECT_EQ(comparison.changes.size(), count - 2);
  EXPECT_EQ(comparison.gone.size(), 1);
  EXPECT_EQ(comparison.added.size(), 1);
  now[3].measurements.pop_back();
  EXPECT_THROW(compare_in_turn(now, before), Error) << "seven pairs";
  now[3].kind = "peers";
  EXPECT_THROW(compare_in_turn(now, before), Error);
}

TEST(InTurn, OneRunThatIsWrongIsEnough) {
  const auto before = in_turn(6, 9);
  auto now = in_turn(7, 9);
  EXPECT_TRUE(compare_in_turn(now, before).broken.empty());
  now[5].measurements[10].outcome = {Status::wrong, "planted"};
  now[5].measurements[10].quantities.clear();
  const RunComparison comparison = compare_in_turn(now, before);
  EXPECT_EQ(comparison.broken.size(), 1);
  EXPECT_NE(failure_of(comparison, 1e6), "");
}

TEST(InTurn, TheMediansIntervalLeavesOutWhatTheSignTestAllows) {
  std::vector<double> values;
  for (int i = 24; i >= 1; --i) values.push_back(i);
  // P(at most 5 of 24 below the median) = 0.0033, of at most 6 0.0113.
  EXPECT_DOUBLE_EQ(median_interval(values, 0.99).low, 6);
  EXPECT_DOUBLE_EQ(median_interval(values, 0.99).high, 19);
  values.resize(8);  // 17 to 24
  EXPECT_DOUBLE_EQ(median_interval(values, 0.99).low, 17);
  EXPECT_DOUBLE_EQ(median_interval(values, 0.99).high, 24);
  values.resize(7);
  EXPECT_TRUE(std::isinf(median_interval(values, 0.99).low));
  EXPECT_TRUE(std::isinf(median_interval({}, 0.99).high));
  // It holds the median as often as it says, whatever the distribution: 0.9609 of 9 values at 0.95.
  std::mt19937_64 random(1);
  std::lognormal_distribution<double> skewed(0, 3);
  constexpr int trials = 4000;
  int held = 0;
  values.resize(9);
  for (int trial = 0; trial < trials; ++trial) {
    for (double& value : values) value = skewed(random);
    const Interval interval = median_interval(values, 0.95);
    held += interval.low <= 1 && 1 <= interval.high;
  }
  EXPECT_NEAR(held, trials * 0.9609, trials * 0.01);
}

// Of normal samples, the interval at 0.9 holds the true ratio in 9 of 10 cases; percentiles of few samples
// fall short.
TEST(Against, TheBootstrapCoversTheRatio) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise(1, 0.05);
  constexpr int trials = 200;
  int held = 0;
  for (int trial = 0; trial < trials; ++trial) {
    std::vector<double> a(25), b(25);
    for (double& value : a) value = 2 * noise(random);
    for (double& value : b) value = noise(random);
    const Interval interval = bootstrap_log_ratio_of_medians(a, b, 0.9);
    held += interval.low <= std::log(2) && std::log(2) <= interval.high;
    ASSERT_LE(interval.low, interval.high);
  }
  EXPECT_GE(held, trials * 0.85);
  EXPECT_LE(held, trials * 0.98);
  const Interval same = bootstrap_log_ratio_of_medians({2}, {1}, 0.99);
  EXPECT_DOUBLE_EQ(same.low, std::log(2));
  EXPECT_DOUBLE_EQ(same.high, std::log(2));
  EXPECT_TRUE(std::isnan(bootstrap_log_ratio_of_medians({}, {1}, 0.9).low));
  EXPECT_TRUE(std::isnan(bootstrap_log_ratio_of_medians({1}, {}, 0.9).high));
}

}  // namespace
}  // namespace tallcache
