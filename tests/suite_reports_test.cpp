// What run, compare, steps and peers report, computed from small documents whose figures are known; and that
// every name in the suites is one of the catalogue.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "bench/report/compare.hpp"
#include "bench/report/peers.hpp"
#include "bench/report/run.hpp"
#include "bench/report/steps.hpp"
#include "bench/suites/suite.hpp"
#include "common/catalogue.hpp"
#include "tests/support.hpp"

namespace tallcache::test {
namespace {

struct Run {
  std::string variant;
  double seconds = absent;
  std::string backend = "cpu";
  int threads = 1;
  bool peer = false;
};

// Work of n units of `unit`, and as many bytes of traffic.
Record record_of(const Run& run, Index n, const char* unit = "flop") {
  Record record{.operation = "op", .variant = run.variant, .backend = run.backend, .element = "float"};
  record.shape = {{"n", n}};
  record.input = "first";
  record.threads = run.threads;
  record.peer = run.peer;
  record.outcome =
      std::isnan(run.seconds) ? Outcome{Status::unavailable, "no device"} : Outcome{Status::measured};
  if (std::isnan(run.seconds)) return record;
  record.quantities = {{.name = "time", .unit = "s", .value = run.seconds, .spread = run.seconds / 10},
                       {.name = "work", .unit = unit, .value = double(n), .origin = Origin::formula},
                       {.name = "traffic", .unit = "B", .value = double(n), .origin = Origin::formula}};
  return record;
}

void put_transfer(Record& record, TransferMode mode, double seconds, std::string reason = "") {
  Quantity& time = record.quantities.emplace_back(Quantity{.name = std::string(transfer_time), .unit = "s"});
  time.at = transfer_part(mode);
  time.value = seconds;
  time.reason = std::move(reason);
}

// It ran and has a time, but its result is wrong.
void spoil(Record& record) { record.outcome = {Status::wrong, "wrong result at [0]"}; }

Record limit(const char* operation, const char* element, int threads, double rate) {
  Record record{.operation = operation, .variant = "best", .backend = "cpu", .element = element};
  record.threads = threads;
  record.outcome.status = Status::measured;
  record.quantities.push_back({.name = "rate", .unit = "1", .value = rate});
  return record;
}

// The CPU takes 10 s at every size; the GPU is ahead at 1, behind at 2, ahead at 4 and 8, and with pinned
// transfers at 8 alone.
Document comparison() {
  Document document{.kind = "compare", .context = Json::object()};
  document.plan = {{{"operation", "op"}, {"element", "float"}, {"size", "n"}, {"sizes", {1, 2, 4, 8}}}};
  const double gpu[] = {9, 11, 4, 2};
  int i = 0;
  for (const Index n : {1, 2, 4, 8}) {
    document.put(record_of({"tiled", 10}, n));
    document.put(record_of({"tiled", 20, "cpu", 2}, n));
    document.put(record_of({"library", 12, "cpu", 2, true}, n));
    Record device = record_of({"tiled", gpu[i++], "gpu"}, n);
    put_transfer(device, TransferMode::pinned, 7);
    put_transfer(device, TransferMode::pageable, 70);
    document.put(std::move(device));
  }
  return document;
}

TEST(Comparison, CrossesOverWhereTheGpuStaysAhead) {
  const Document document = comparison();
  const Json& part = document.plan[0];
  EXPECT_EQ(crossover(document, part, TransferMode::none), 4);
  EXPECT_EQ(crossover(document, part, TransferMode::pinned), 8);
  EXPECT_EQ(crossover(document, part, TransferMode::pageable), std::nullopt);
  EXPECT_EQ(crossover_sentence(document, part),
            "The GPU is ahead of the CPU from: kernel alone n = 4; with pinned transfers n = 8; pageable not "
            "up to n = 8.");
}

TEST(Comparison, TakesNoWrongResultForTheBest) {
  Document document = comparison();
  for (Record& record : document.measurements)
    if (record.backend == "gpu" && record.shape["n"] == 8) spoil(record);
  EXPECT_EQ(crossover(document, document.plan[0], TransferMode::none), std::nullopt);
  const Grid grid = comparison_grid(document, document.plan[0]);
  EXPECT_EQ(grid.rows.back()[2], "wrong result at [0]");
  EXPECT_EQ(comparison_summary(document, document.plan[0]).rows.back()[4], "-");
}

TEST(Comparison, SaysThatThereWasNoGpuAndNoTransfer) {
  Document document = comparison();
  for (Record& record : document.measurements)
    if (record.backend == "gpu")
      record.quantities.erase(record.quantities.begin() + 3),
          put_transfer(record, TransferMode::pinned, absent, "out of pinned memory");
  const std::string sentence = crossover_sentence(document, document.plan[0]);
  EXPECT_NE(sentence.find("kernel alone n = 4; with pinned transfers not measured"), sentence.npos)
      << sentence;
  for (Record& record : document.measurements)
    if (record.backend == "gpu") record = record_of({"tiled", absent, "gpu"}, record.shape["n"]);
  const std::string none = crossover_sentence(document, document.plan[0]);
  EXPECT_NE(none.find("kernel alone not measured"), none.npos) << none;
}

TEST(Comparison, HasSharesSpeedUpsAndTheBestOfEachSide) {
  Document document = comparison();
  document.limits = {limit("multiply_add", "float", 1, 1e-9), limit("multiply_add", "float", 2, 4e-9)};
  const Grid grid = comparison_grid(document, document.plan[0]);
  ASSERT_EQ(grid.rows.size(), 16u);
  const auto& one = grid.rows[12];  // n = 8
  EXPECT_EQ(one[0], "n = 8");
  EXPECT_EQ(one[1], "cpu tiled");
  EXPECT_EQ(one[2], "10000");
  EXPECT_EQ(one[5], "80.0 %");
  EXPECT_EQ(one[8], "-");
  EXPECT_EQ(grid.rows[13][1], "cpu tiled, 2 threads");
  EXPECT_EQ(grid.rows[13][5], "10.0 %");
  EXPECT_EQ(grid.rows[13][8], "0.50x");
  EXPECT_EQ(grid.rows[13][6], "-") << "the CPU has no transfers";
  EXPECT_EQ(grid.rows[14][8], "-") << "the library was not run on one thread";
  EXPECT_EQ(grid.rows[15][5], "-") << "no limit of the GPU's was measured";
  EXPECT_EQ(grid.rows[15][6], figure(8.0 / 9 * 1e-9));
  const auto summary = comparison_summary(document, document.plan[0]).rows.back();
  const auto best = [](double seconds, const char* name) {
    return figure(8 / seconds * 1e-9) + " (" + name + ")";
  };
  EXPECT_EQ(summary,
            (std::vector<std::string>{"n = 8", best(10, "tiled"), best(20, "tiled"), best(12, "library"),
                                      best(2, "tiled"), "-", best(9, "tiled")}));
  EXPECT_THROW(comparison_plot({.kind = "compare", .context = {}, .plan = document.plan}, document.plan[0]),
               Error);
}

Document stairs() {
  Document document{.kind = "steps", .context = Json::object()};
  Json part{{"operation", "op"}, {"element", "float"},
            {"backend", "cpu"},  {"shape", {{"n", 80}, {"pad", 0}}},
            {"unit", "key"},     {"limit", "a copy's bandwidth"},
            {"unit_bytes", 8}};
  for (const auto& [name, peer] : {std::pair{"a", false}, {"b", false}, {"c", false}, {"library", true}}) {
    Json step{{"label", std::string("step ") + name},
              {"variant", name},
              {"params", Json::object()},
              {"threads", 1},
              {"peer", peer}};
    if (!peer) step["bytes"] = 16;
    part["steps"].push_back(step);
  }
  document.plan.push_back(part);
  const double seconds[] = {8, 4, 1, 2};
  for (int i = 0; i < 4; ++i) {
    Record record = record_of({i == 3 ? "library" : std::string(1, char('a' + i)), seconds[i]}, 80, "key");
    record.shape["pad"] = 0;
    document.put(std::move(record));
  }
  document.limits = {limit("memory_traffic", "byte", 1, 40e-9)};
  return document;
}

TEST(Steps, EachIsOverTheOneBefore) {
  const Document document = stairs();
  const Grid grid = steps_grid(document, document.plan[0]);
  EXPECT_EQ(grid.caption, "op float, n = 80:");
  EXPECT_EQ(grid.columns[3].title, "Mkeys/s");
  EXPECT_EQ(grid.columns[6].title, "bytes moved for each key, counted");
  EXPECT_EQ(grid.rows[1],
            (std::vector<std::string>{"step b", "4000", "400", "2e-05", "50 %", "2.00x", "16", "100 %"}));
  EXPECT_EQ(grid.rows[2][5], "4.00x");
  EXPECT_EQ(grid.rows[3],
            (std::vector<std::string>{"step library", "2000", "200", "4e-05", "100 %", "", "-", "-"}));
}

TEST(Steps, AWrongOrAbsentStepHasItsReasonAndIsNotBuiltOn) {
  Document document = stairs();
  spoil(document.measurements[0]);
  std::erase_if(document.measurements, [](const Record& record) { return record.variant == "c"; });
  const Grid grid = steps_grid(document, document.plan[0]);
  EXPECT_EQ(grid.rows[0][1], "wrong result at [0]");
  EXPECT_EQ(grid.rows[0][4], "-");
  EXPECT_EQ(grid.rows[1][5], "-");
  EXPECT_EQ(grid.rows[2][1], "not measured");
  EXPECT_EQ(grid.rows[2][5], "-");
}

// Three cases on one core, of which two are a group; one on two; one of another input.
Document peers() {
  Document document{.kind = "peers", .context = Json::object()};
  document.plan.push_back({{"operation", "op"},
                           {"element", "float"},
                           {"backend", "cpu"},
                           {"variant", "own"},
                           {"share", {{"of", "first input"}, {"title", "of the first's speed"}}},
                           {"first_input", "first"},
                           {"baseline", "slow"}});
  const auto add = [&](const char* label, const char* group, Index n, int threads, double own, double fast,
                       const char* input = "first") {
    document.plan[0]["cases"].push_back(
        {{"label", label}, {"row", label}, {"threads", threads}, {"group", group}});
    for (Record record : {record_of({"own", own, "cpu", threads}, n), record_of({"fast", fast}, n),
                          record_of({"slow", own * 10}, n)}) {
      record.row = label;
      record.input = input;
      document.put(std::move(record));
    }
  };
  add("n = 1", "small", 1, 1, 2, 8);
  add("n = 2", "small", 2, 1, 4, 4);
  add("n = 9", "", 9, 1, 3, 6);
  add("n = 9, all", "", 9, 2, 2, 6);
  add("sorted", "", 9, 1, 6, 3, "sorted");
  return document;
}

PeerFigures figures_of(const Document& document, int c) {
  return peer_figures(document, document.plan[0], document.plan[0]["cases"][c]);
}

TEST(Peers, TheBestPeerIsTheFastest) {
  Document document = peers();
  PeerFigures figures = figures_of(document, 2);
  ASSERT_TRUE(figures.best);
  EXPECT_EQ(figures.best->variant, "fast");
  EXPECT_DOUBLE_EQ(figures.over_best, 2);
  EXPECT_DOUBLE_EQ(figures.over_baseline, 10);
  EXPECT_TRUE(std::isnan(figures.share)) << "it is the first input";
  EXPECT_TRUE(std::isnan(figures.over_one_core));
  for (Record& record : document.measurements)
    if (record.variant == "fast") spoil(record);
  figures = figures_of(document, 2);
  EXPECT_EQ(figures.best->variant, "slow");
  EXPECT_DOUBLE_EQ(figures.over_best, 10);
}

TEST(Peers, SharesAndSpeedUpsAreOfTheOtherCases) {
  Document document = peers();
  EXPECT_DOUBLE_EQ(figures_of(document, 3).over_one_core, 1.5);
  EXPECT_DOUBLE_EQ(figures_of(document, 4).share, 0.5);
  document.plan[0]["share"] = {{"of", "limit"}, {"title", "of the FMA peak"}};
  document.limits = {limit("multiply_add", "float", 1, 6e-9)};
  EXPECT_DOUBLE_EQ(figures_of(document, 2).share, 0.5);
  Record copy = record_of({"memcpy", 1.5}, 9);
  copy.operation = "copy";
  copy.row = "n = 9";
  document.put(std::move(copy));
  document.plan[0]["share"] = {
      {"of", "reference"}, {"title", "of memcpy's speed"}, {"operation", "copy"}, {"variant", "memcpy"}};
  EXPECT_DOUBLE_EQ(figures_of(document, 2).share, 0.5);
  EXPECT_TRUE(std::isnan(figures_of(document, 3).share)) << "no reference in its row";
}

TEST(Peers, AGroupIsItsGeometricMeanAndItsLeast) {
  Document document = peers();
  PeerGroup group = peer_group(document, document.plan[0], "small");
  EXPECT_EQ(group.count, 2);
  EXPECT_DOUBLE_EQ(group.geometric_mean, 2);  // of 4 and 1
  EXPECT_DOUBLE_EQ(group.least, 1);
  EXPECT_EQ(group.least_label, "n = 2");
  spoil(document.measurements[3]);  // own at n = 2
  group = peer_group(document, document.plan[0], "small");
  EXPECT_EQ(group.count, 1);
  EXPECT_EQ(group.absent_count, 1);
  EXPECT_DOUBLE_EQ(group.geometric_mean, 4);
  Grid grid = peers_grid(document, document.plan[0]);
  EXPECT_EQ(grid.rows[0][0], "small: geometric mean of 1, 1 not measured");
  EXPECT_EQ(grid.rows[1][0], "the least of them, n = 1");
  spoil(document.measurements[0]);
  grid = peers_grid(document, document.plan[0]);
  EXPECT_EQ(grid.rows[0][0], "small: geometric mean of 0, 2 not measured");
  EXPECT_EQ(grid.rows[1][0], "n = 9");
}

TEST(Peers, ACaseWithoutAResultHasItsReason) {
  Document document = peers();
  spoil(document.measurements[6]);  // own at n = 9 on one core
  const Grid grid = peers_grid(document, document.plan[0]);
  EXPECT_EQ(grid.columns.back().title, "over slow");
  EXPECT_EQ(grid.rows[2],
            (std::vector<std::string>{"n = 9", "1", "wrong result at [0]", "", "", "", "", "", "", ""}));
  EXPECT_EQ(grid.rows[3][8], "-") << "what one core made is wrong";
  EXPECT_EQ(grid.rows[4][7], "-");
  for (const auto& row : grid.rows) EXPECT_EQ(row.size(), grid.columns.size());
}

TEST(RunReport, HasPhasesAndReasons) {
  Document document{.kind = "run", .context = Json::object()};
  EXPECT_THROW(run_grid(document), Error);
  Record timed = record_of({"tiled", 0.5}, 8);
  timed.conditions["caches"] = "cold";
  timed.quantities.push_back({.name = "time", .unit = "s", .value = 0.25, .at = {{"phase", "sort"}}});
  document.put(std::move(timed));
  document.put(record_of({"tiled", absent, "gpu"}, 8));
  const Grid grid = run_grid(document);
  EXPECT_EQ(grid.caption, "op float n=8, cold caches:");
  EXPECT_EQ(grid.rows[0],
            (std::vector<std::string>{"tiled", "500.0000", "50.0000", "0.00", "sort 250.0000 ms"}));
  EXPECT_EQ(grid.rows[1], (std::vector<std::string>{"gpu tiled", "-", "", "", "no device"}));
}

// The same text from a file as from what was measured.
TEST(Documents, AreReportedAlikeOnceTheyWereRead) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("suites-" + std::to_string(getpid()) + ".json")).string();
  const auto read_back = [&](const Document& document) {
    write_document(path, document);
    return read_document(path);
  };
  const Document compared = comparison(), stepped = stairs(), beside = peers();
  EXPECT_EQ(render(comparison_grid(read_back(compared), compared.plan[0]), Style::markdown),
            render(comparison_grid(compared, compared.plan[0]), Style::markdown));
  EXPECT_EQ(render(steps_grid(read_back(stepped), stepped.plan[0]), Style::markdown),
            render(steps_grid(stepped, stepped.plan[0]), Style::markdown));
  EXPECT_EQ(render(peers_grid(read_back(beside), beside.plan[0]), Style::markdown),
            render(peers_grid(beside, beside.plan[0]), Style::markdown));
  std::filesystem::remove(path);
}

TEST(Suites, NameWhatTheCatalogueHas) {
  for (const Suite* suite : suites()) {
    find_operation(suite->operation);
    if (has_sizes(*suite)) find_operation(suite->operation, suite->sizes.element);
    for (const OptimizationSteps& steps : suite->steps) {
      const Operation& operation = find_operation(suite->operation, steps.element);
      for (const Shape& shape : {steps.shape, steps.smoke}) complete_shape(operation, shape);
      for (const Step& step : steps.steps) {
        const Variant& variant = find_variant(operation, step.variant, steps.backend);
        complete_params(variant, step.params);
        EXPECT_EQ(std::isnan(step.bytes), step.peer || std::isnan(steps.least_bytes)) << step.label;
      }
    }
    for (const PeerComparison& comparison : suite->peers) {
      const Operation& operation = find_operation(suite->operation, comparison.element);
      EXPECT_GE(variants_held(operation, comparison).size(), 2u);
      for (const Scale scale : {Scale::smoke, Scale::quick, Scale::full})
        for (const PeerCase& peer_case : cases_at(comparison, scale)) {
          complete_shape(operation, peer_case.shape);
          EXPECT_TRUE(peer_case.input.empty() || std::ranges::count(operation.inputs, peer_case.input));
        }
    }
  }
}

// A new peer needs no line in a suite: each is held, or left out by its name.
TEST(Suites, HoldEveryPeerOfTheCatalogueButThoseThatTheyLeaveOut) {
  for (const Suite* suite : suites())
    for (const PeerComparison& comparison : suite->peers) {
      const Operation& operation = find_operation(suite->operation, comparison.element);
      const auto held = variants_held(operation, comparison);
      for (const Variant* variant : variants_of(operation)) {
        const bool left_out = std::ranges::count(comparison.without, variant->name);
        if (!variant->peer || variant->backend != comparison.backend) continue;
        EXPECT_EQ(std::ranges::count(held, variant), left_out ? 0 : 1) << variant->name;
      }
      EXPECT_EQ(held.front()->name, comparison.variant);
    }
}

TEST(Suites, HaveCasesByScale) {
  const PeerComparison comparison{.smoke = {{"n", 3}},
                                  .cases = {{.shape = {{"n", 8}}, .group = "g"},
                                            {.shape = {{"n", 9}}, .group = "g"},
                                            {.shape = {{"n", 10}}},
                                            {.shape = {{"n", 11}}, .from = Scale::full}}};
  EXPECT_EQ(cases_at(comparison, Scale::full).size(), 4u);
  EXPECT_EQ(cases_at(comparison, Scale::quick).size(), 3u);
  const auto smoke = cases_at(comparison, Scale::smoke);
  ASSERT_EQ(smoke.size(), 2u);
  EXPECT_EQ(smoke[1].shape["n"], 3);
  const std::string unknown[] = {"matmull"};
  EXPECT_THROW(find_suites(unknown, has_peers, "operation with peers"), Error);
  const std::string searched[] = {"bfs"};
  EXPECT_THROW(find_suites(searched, has_steps, "operation with steps"), Error);
  EXPECT_EQ(find_suites({}, has_sizes, "").size(), 3u);
}

}  // namespace
}  // namespace tallcache::test
