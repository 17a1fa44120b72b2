// The program's reports on a processor that counts: the stand-in, whose counts are known in advance.
#include <gtest/gtest.h>
#include <stdlib.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "bench/commands/commands.hpp"
#include "bench/measure/context.hpp"
#include "bench/measure/counted.hpp"
#include "bench/measure/misses.hpp"
#include "common/catalogue.hpp"
#include "common/fork/one_tbb.hpp"
#include "tests/papi_stand_in.hpp"

namespace tallcache {
namespace {

using stand_in::Processor;
using stand_in::StandInEvent;

Problem problem_of(const char* operation, const char* shape) {
  const Operation& found = find_operation(operation);
  return {&found, parse_shape(found, shape), found.inputs[0]};
}

// The machine is described once, which itself counts, before the counts of the runs are defined.
void count_on(Processor processor) {
  this_machine();
  stand_in::install(std::move(processor));
}

// The output of `tallcache ARGUMENTS`.
std::string output_of(const std::string& arguments) {
  CLI::App app;
  add_commands(app);
  testing::internal::CaptureStdout();
  app.parse(arguments);
  return testing::internal::GetCapturedStdout();
}

// The cells of the printed row that begins with `name`.
std::vector<std::string> row_of(const std::string& text, const std::string& name) {
  const auto begin = text.find("  " + name + "  ");
  if (begin == text.npos) return {};
  std::vector<std::string> cells;
  std::string line = text.substr(begin, text.find('\n', begin) - begin);
  while (!line.empty()) {
    line.erase(0, line.find_first_not_of(' '));
    const auto end = std::min(line.find("  "), line.size());
    cells.push_back(line.substr(0, end));
    line.erase(0, end);
  }
  return cells;
}

std::string table_of_counters() {
  char folder[] = "/tmp/tallcache-counted-XXXXXX";
  if (!mkdtemp(folder)) return {};
  const std::string text = output_of(std::string("reproduce matmul-counters --smoke --results ") + folder);
  std::filesystem::remove_all(folder);
  return text;
}

// The naive product's, the transposed one's, the tiled one's.
const std::vector<StandInEvent>& three_products() {
  static const std::vector<StandInEvent> events{{.name = "PAPI_TOT_CYC", .each_run = {8000, 3000, 1000}},
                                                {.name = "PAPI_TOT_INS", .each_run = {2000, 2400, 4000}},
                                                {.name = "PAPI_L1_DCM", .each_run = {120, 60, 10}},
                                                {.name = "PAPI_L2_DCM", .each_run = {40, 15, 5}},
                                                {.name = "PAPI_LD_INS", .each_run = {700, 800, 900}},
                                                {.name = "PAPI_SR_INS", .each_run = {100, 200, 100}},
                                                {.name = "PAPI_L1_DCA", .each_run = {500, 600, 400}},
                                                {.name = "PAPI_VEC_DP", .each_run = {200, 1200, 3000}}};
  return events;
}

// No cell is broken into lines.
[[maybe_unused]] const int wide = setenv("COLUMNS", "1000", 1);

using Cells = std::vector<std::string>;

TEST(TableOfCounters, IsFilledFromTheProcessor) {
  count_on({.events = three_products()});
  const std::string text = table_of_counters();
  EXPECT_NE(text.find("L1 hardware"), text.npos) << text;
  EXPECT_EQ(text.find("Not counted"), text.npos) << text;
  // The variant, then for each figure the slide's and this machine's.
  const auto here = [&](const char* variant) {
    const Cells row = row_of(text, variant);
    return row.size() < 11 ? Cells{} : Cells{row[2], row[4], row[6], row[8], row[10]};
  };
  EXPECT_EQ(here("naive"), (Cells{"4", "0.24", "0.08", "10 %", "2000"})) << text;
  EXPECT_EQ(here("transposed"), (Cells{"1.25", "0.1", "0.025", "50 %", "2400"})) << text;
  EXPECT_EQ(here("tiled"), (Cells{"0.25", "0.025", "0.0125", "75 %", "4000"})) << text;
}

TEST(TableOfCounters, TakesLoadsAndStoresForAccesses) {
  Processor processor{.events = three_products()};
  std::erase_if(processor.events, [](const StandInEvent& e) { return e.name == "PAPI_L1_DCA"; });
  count_on(processor);
  const std::string text = table_of_counters();
  const Cells naive = row_of(text, "naive");
  ASSERT_GE(naive.size(), 11u) << text;
  EXPECT_EQ(naive[4], "0.15");  // 120 of 700 + 100
  EXPECT_EQ(text.find("Not counted"), text.npos) << text;
}

TEST(TableOfCounters, NamesWhatIsMissingAndShowsNoZero) {
  Processor processor{.events = three_products()};
  for (StandInEvent& event : processor.events) {
    if (event.name == "PAPI_VEC_DP") event.start = PAPI_EPERM;
    if (event.name == "PAPI_TOT_CYC") event.add = PAPI_EPERM;
  }
  count_on(processor);
  const std::string text = table_of_counters();
  const Cells naive = row_of(text, "naive");
  ASSERT_GE(naive.size(), 11u) << text;
  EXPECT_EQ((Cells{naive[2], naive[4], naive[6], naive[8], naive[10]}),
            (Cells{"needs hardware counters", "0.24", "0.08", "needs hardware counters", "2000"}));
  EXPECT_NE(text.find("Not counted: cycles: PAPI_TOT_CYC: Permission level"), text.npos) << text;
}

TEST(TableOfCounters, ShowsTheModelsMissesWhereCountsWereLost) {
  Processor processor{.events = three_products()};
  for (StandInEvent& event : processor.events) event.stop = PAPI_ECLOST;
  count_on(processor);
  const std::string text = table_of_counters();
  const Cells naive = row_of(text, "naive");
  ASSERT_GE(naive.size(), 11u) << text;
  for (int cell : {2, 8, 10}) EXPECT_EQ(naive[cell], "needs hardware counters");
  EXPECT_EQ(text.find("L1 hardware"), text.npos) << text;
  EXPECT_NE(text.find("Not counted: cycles: PAPI_stop"), text.npos) << text;
  EXPECT_NE(text.find("Access to the counters was lost"), text.npos) << text;
}

TEST(HardwareMisses, AreOfOneRunAndAbsentOnesHaveAReason) {
  Processor processor{.events = three_products()};
  processor.events.push_back({.name = "PAPI_L3_TCM", .add = PAPI_EPERM});
  count_on(processor);
  const std::string text = output_of("misses matmul naive --shape m=20 --source hardware");
  EXPECT_NE(text.find("source hardware: PAPI counts PAPI_L1_DCM here"), text.npos) << text;
  EXPECT_NE(text.find("700 loads, 100 stores"), text.npos) << text;
  const Cells l1 = row_of(text, "L1"), l2 = row_of(text, "L2"), l3 = row_of(text, "L3");
  ASSERT_GE(l2.size(), 3u) << text;
  EXPECT_EQ((Cells{l1[1], l1[2]}), (Cells{"500", "120"})) << text;
  EXPECT_EQ((Cells{l2[1], l2[2]}), (Cells{"-", "40"})) << text;
  if (l3.empty()) GTEST_SKIP() << "this machine has no level 3 cache";
  EXPECT_EQ((Cells{l3[1], l3[2]}), (Cells{"-", "-"})) << text;
  EXPECT_NE(l3.back().find("PAPI_L3_DCM: Event does not exist"), l3.back().npos) << text;
}

const Counted& find(const std::vector<Counted>& counts, std::string_view name) {
  const auto found = std::ranges::find(counts, name, &Counted::name);
  if (found == counts.end()) throw Error(std::string(name) + " is not there");
  return *found;
}

TEST(AllEvents, AreGatheredWithSourceAndReason) {
  Processor processor{.events = three_products()};
  processor.events.push_back({.name = "PAPI_BR_MSP"});
  processor.events.push_back({.name = "perf::PAGE-FAULTS", .counters = 0, .each_run = {3}});
  processor.events.push_back({.name = "perf::CYCLES", .each_run = {1}});
  count_on(processor);
  const Problem problem = problem_of("matmul", "m=20");
  const Candidate candidates[] = {{&find_variant(*problem.operation, "naive")},
                                  {&find_variant(*problem.operation, "tiled")}};
  const auto variants = count_each(problem, candidates, {});
  ASSERT_EQ(variants.size(), 2u);
  for (const CountedVariant& variant : variants)
    EXPECT_TRUE(variant.outcome.measured()) << variant.outcome.reason;
  const std::vector<Counted>& naive = variants[0].counts;
  // Every preset, and no other event of the processor.
  EXPECT_EQ(naive.size(), 20 + software_events().size());
  for (const Counted& count : naive) {
    EXPECT_EQ(count.value.has_value(), count.reason.empty()) << count.name << ": " << count.reason;
    EXPECT_EQ(count.source, count.name.starts_with("perf::") ? "kernel" : "hardware") << count.name;
    EXPECT_EQ(count.event, count.name);
    EXPECT_FALSE(count.multiplexed);
  }
  EXPECT_EQ(find(naive, "PAPI_TOT_CYC").value, 8000);
  EXPECT_EQ(find(naive, "PAPI_BR_MSP").value, 0);
  EXPECT_EQ(find(naive, "perf::PAGE-FAULTS").value, 3);
  EXPECT_EQ(find(naive, "PAPI_L3_DCM").reason.substr(0, 20), "Event does not exist");
  EXPECT_FALSE(find(naive, "perf::TASK-CLOCK").value);
  EXPECT_EQ(find(variants[1].counts, "PAPI_TOT_CYC").value, 3000);  // a run of its own
}

TEST(AllEvents, AreMarkedAsEstimatesWhereTheyTakeTurns) {
  count_on({.events = three_products()});
  const Problem problem = problem_of("matmul", "m=20");
  const Candidate candidates[] = {{&find_variant(*problem.operation, "naive")}};
  const auto variants = count_each(problem, candidates, {}, Sharing::multiplexed);
  EXPECT_TRUE(find(variants[0].counts, "PAPI_TOT_CYC").multiplexed);
  EXPECT_EQ(find(variants[0].counts, "PAPI_TOT_CYC").value, 8000);
}

// Each thread that enters the arena adds a run's 1000, and more than one of them does.
TEST(AllEvents, AreOfAllThreads) {
  if (usable_threads() < 2) GTEST_SKIP() << "one processor";
  count_on({.events = {{.name = "PAPI_TOT_INS", .each_run = {1000}}}});
  const Problem problem = problem_of("matmul", "m=400");
  Candidate candidate{&find_variant(*problem.operation, "recursive")};
  candidate.threads = 2;
  long long max = 0;
  for (int attempt = 0; attempt < 20 && max < 2000; ++attempt) {
    const auto variants = count_each(problem, std::span(&candidate, 1), {});
    ASSERT_TRUE(variants[0].outcome.measured()) << variants[0].outcome.reason;
    const Counted& count = find(variants[0].counts, "PAPI_TOT_INS");
    ASSERT_TRUE(count.value) << count.reason;
    max = std::max(max, *count.value);
  }
  EXPECT_GE(max, 2000);
  EXPECT_EQ(max % 1000, 0);
}

TEST(AllEvents, AreNotCountedOfWhatCannotRun) {
  count_on({.events = three_products()});
  const Problem problem = problem_of("matmul", "m=20");
  Candidate candidates[] = {{&find_variant(*problem.operation, "transposed")},  // runs on one thread
                            {&find_variant(*problem.operation, "openblas")}};   // has threads of its own
  for (Candidate& candidate : candidates) candidate.threads = 2;
  for (const CountedVariant& variant : count_each(problem, candidates, {})) {
    EXPECT_EQ(variant.outcome.status, Status::unsupported);
    EXPECT_TRUE(variant.counts.empty());
  }
}

// An operation in place finds its original inputs in every pass.
TEST(AllEvents, AreOfRunsFromFreshInputs) {
  count_on({.events = three_products()});
  Problem problem = problem_of("transpose_in_place", "n=31");
  int filled = 0;
  problem.own_inputs = [&](std::span<std::byte* const> buffers) {
    ++filled;
    std::memset(buffers[0], 0, problem_bytes(problem));
  };
  const auto executor = make_executor("cpu");
  Workspace workspace(problem, *executor);
  EXPECT_EQ(filled, 1);
  count_all_events(workspace, {&find_variant(*problem.operation, "in_place")});
  EXPECT_EQ(filled, 2);
}

}  // namespace
}  // namespace tallcache
