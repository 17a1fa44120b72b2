// The slides' tables from stored records of a machine that is not this one: cells, ratios and findings, each
// way that a finding can end.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "bench/report/kind.hpp"
#include "bench/report/limits.hpp"
#include "bench/report/results_file.hpp"
#include "bench/tables/table.hpp"
#include "common/catalogue.hpp"

namespace tallcache {
namespace {

Document document_of(const char* mode = "quick", int cores = 64) {
  return {.kind = "reproduce",
          .context = {{"cpu", "Z80"},
                      {"usable_cores", cores},
                      {"mode", mode},
                      {"seed", 1},
                      {"date", "1976-07-01T00:00:00Z"},
                      {"build", {{"compiler", "zcc 1.0"}, {"flags", "-O0"}, {"commit", "0123456789ab"}}}}};
}

Record timed(std::string_view operation, std::string_view element, std::string_view variant,
             const Shape& shape, double seconds, double spread = 0, int threads = 1) {
  const Operation& op = find_operation(operation, element);
  Record record{.operation = std::string(operation),
                .variant = std::string(variant),
                .backend = "cpu",
                .element = std::string(element)};
  record.shape = to_json(complete_shape(op, shape));
  record.input = op.inputs.front();
  record.threads = threads;
  record.outcome.status = Status::measured;
  record.quantities = {
      {.name = "time", .unit = "s", .value = seconds, .spread = spread, .samples = {seconds}}};
  return record;
}

Record product(std::string_view variant, Index n, double seconds, double spread = 0) {
  return timed("matmul", "double", variant, {{"m", n}, {"n", n}, {"k", n}}, seconds, spread);
}

Record counted(std::string row, Json shape, std::vector<Quantity> quantities) {
  Record record{.operation = "counted", .variant = "any", .backend = "cpu"};
  record.shape = std::move(shape);
  record.row = std::move(row);
  record.outcome.status = Status::measured;
  record.quantities = std::move(quantities);
  return record;
}

Quantity number(std::string name, double value, Json at = Json::object()) {
  return {.name = std::move(name), .unit = "1", .value = value, .origin = Origin::model, .at = std::move(at)};
}

Report reported(std::string_view table, const Document& document) {
  return report_of(find_table(table), document);
}

// The cell of a column in the row of these first cells.
std::string cell(const Grid& grid, const std::string& size, const std::string& variant,
                 const std::string& column) {
  const auto at = std::ranges::find(grid.columns, column, &Column::title);
  if (at == grid.columns.end()) return "no column " + column;
  std::string last;
  for (const auto& row : grid.rows) {
    if (!row[0].empty()) last = row[0];
    if (last == size && row[1] == variant) return row[static_cast<std::size_t>(at - grid.columns.begin())];
  }
  return "no row " + size + ", " + variant;
}

const Finding& finding(const Report& report, std::string_view begin) {
  for (const Finding& finding : report.findings)
    if (finding.text.starts_with(begin)) return finding;
  throw Error("no finding " + std::string(begin));
}

const Ratio& ratio(const Report& report, std::string_view what) {
  for (const Ratio& ratio : report.ratios)
    if (ratio.what == what) return ratio;
  throw Error("no ratio " + std::string(what));
}

using Holds = std::optional<bool>;

// ------------------------------------------------------------------------------------------- of all tables

TEST(Tables, AreMadeOfNothingWithoutAVerdict) {
  for (const char* mode : {"smoke", "quick", "full"}) {
    const Document document = document_of(mode);
    for (const Table* table : tables()) {
      const Report report = report_of(*table, document);
      EXPECT_FALSE(report.grids.empty()) << table->id;
      for (const Finding& finding : report.findings)
        EXPECT_FALSE(finding.holds && table->id != "cilkview-profile") << table->id << ": " << finding.text;
    }
  }
}

// Of the one finding that the slide's own figures decide.
TEST(Tables, CilkviewsEstimatesNeedNoMeasurement) {
  const Report report = reported("cilkview-profile", document_of());
  EXPECT_EQ(finding(report, "speed-up at least").holds, Holds(true));
  EXPECT_EQ(finding(report, "interchanging").holds, Holds());
}

TEST(Tables, ArePureFunctionsOfTheDocument) {
  Document document = document_of();
  document.put(product("naive", 512, 2));
  document.put(product("transposed", 512, 1));
  const Json before = to_json(document);
  for (const Table* table : tables())
    EXPECT_EQ(render(*table, report_of(*table, document), Style::markdown),
              render(*table, report_of(*table, document), Style::markdown));
  EXPECT_EQ(to_json(document), before);
}

TEST(Tables, HaveRowsOfDistinctNames) {
  for (const Table* table : tables()) {
    std::vector<std::string> labels;
    for (const Row& row : table->rows(Scale::quick, 1))
      if (std::holds_alternative<Measure>(row.what)) labels.push_back(row.label);
    std::ranges::sort(labels);
    EXPECT_EQ(std::ranges::adjacent_find(labels), labels.end()) << table->id;
  }
}

TEST(Tables, UnknownModeIsRefused) { EXPECT_THROW(reported("fib", document_of("quik")), Error); }

// ------------------------------------------------------------------------------------------------- timings

TEST(MatmulCpu, CellsRatiosAndNotes) {
  Document document = document_of();
  document.put(product("naive", 1024, 8, 0.25));
  document.put(product("transposed", 1024, 2));
  Record blocked = product("tiled", 1024, 1);
  blocked.outcome = {Status::wrong, "wrong result: c(0, 0)"};
  document.put(blocked);
  const Report report = reported("matmul-cpu", document);
  const Grid& grid = report.grids.at(0);
  EXPECT_EQ(cell(grid, "n = 1024", "naive", "slide ms"), "24723");
  EXPECT_EQ(cell(grid, "n = 1024", "naive", "here ms"), "8000");
  EXPECT_EQ(cell(grid, "n = 1024", "naive", "+- MAD"), "250");
  EXPECT_EQ(cell(grid, "n = 1024", "transposed", "speed-up slide"), "6.63x");
  EXPECT_EQ(cell(grid, "n = 1024", "transposed", "speed-up here"), "4.00x");
  EXPECT_EQ(cell(grid, "n = 1024", "transposed", "GFLOP/s here"), "1.074");
  EXPECT_EQ(cell(grid, "n = 1024", "tiled", "here ms"), "wrong result: c(0, 0)");
  EXPECT_EQ(cell(grid, "n = 1024", "transposed and tiled", "here ms"), "not in this build");
  EXPECT_EQ(cell(grid, "n = 512", "naive", "here ms"), "not measured");
  EXPECT_EQ(cell(grid, "n = 4096", "naive", "here ms"), "--full");
  EXPECT_EQ(report.ratios.size(), 1u);
  EXPECT_EQ(ratio(report, "transposed over naive").here, 4);
  EXPECT_NEAR(ratio(report, "transposed over naive").slide, 24723.0 / 3730, 1e-9);
  EXPECT_NE(std::ranges::find(report.notes, "Sizes reduced: n = 2048, n = 4096 only with --full."),
            report.notes.end());
}

TEST(MatmulCpu, FindingsEndEachWay) {
  const auto verdict = [](double naive, double transposed, double spread) {
    Document document = document_of();
    document.put(product("naive", 512, naive, spread));
    document.put(product("transposed", 512, transposed, spread));
    return finding(reported("matmul-cpu", document), "transposed beats naive").holds;
  };
  EXPECT_EQ(verdict(2, 1, 0.1), Holds(true));
  EXPECT_EQ(verdict(1, 2, 0.1), Holds(false));
  EXPECT_EQ(verdict(1, 1.1, 0.1), Holds()) << "within the spread";
}

TEST(MatmulCpu, WhatIsPendingWasNotMeasured) {
  Document document = document_of();
  Record naive = product("naive", 512, 1);
  naive.outcome = {};
  document.put(naive);
  const Report report = reported("matmul-cpu", document);
  EXPECT_EQ(cell(report.grids.at(0), "n = 512", "naive", "here ms"), "not measured");
}

TEST(CountingSort, PhasesOfARun) {
  const Shape shape{{"n", 10000000}, {"range", 10000000}};
  Document document = document_of();
  document.put(timed("counting_sort", "uint32", "classical", shape, 0.5));
  Record bucketed = timed("counting_sort", "uint32", "bucketed", shape, 0.4);
  for (const auto& [phase, seconds] : {std::pair{"preprocessing", 0.3}, {"sorting", 0.1}})
    bucketed.quantities.push_back({.name = "time", .unit = "s", .value = seconds, .at = {{"phase", phase}}});
  document.put(bucketed);
  const Report report = reported("counting-sort-cpu", document);
  EXPECT_EQ(cell(report.grids.at(0), "n = 10e6", "bucketed: sorting", "here s"), "0.1");
  EXPECT_EQ(cell(report.grids.at(0), "n = 10e6", "bucketed: preprocessing", "slide s"), "3.04");
  EXPECT_EQ(finding(report, "preprocessing takes longer").holds, Holds(true));
}

Record fib_run(Index grain, int threads, double seconds) {
  Record record = timed("fib", "uint64", "fib", {{"n", 30}}, seconds, 0.001, threads);
  record.params = {{"grain", grain}};
  return record;
}

TEST(Fib, SpeedUpsAndEfficiencies) {
  Document document = document_of("quick", 2);
  for (Index grain : {0, 20}) document.put(fib_run(grain, 1, 0.1));
  document.put(fib_run(0, 2, 0.2));
  document.put(fib_run(20, 2, 0.0505));
  const Report report = reported("fib", document);
  const Grid& grid = report.grids.at(0);
  ASSERT_GE(grid.rows.size(), 5u);
  const std::vector<std::string> one{"n = 30", "a spawn at every call", "1", "0.086", "0.1", "0.001", "", "",
                                     ""},
      two{"", "", "2", "0.046", "0.2", "0.001", "1.87x", "0.50x", "0.250"};
  EXPECT_EQ(grid.rows[0], one);
  EXPECT_EQ(grid.rows[1], two);
  EXPECT_EQ(grid.rows[2][4], "needs 4 cores");
  EXPECT_EQ(ratio(report, "a spawn at every call on 2 cores over one").here, 0.5);
  EXPECT_EQ(finding(report, "a spawn at every call").holds, Holds(false));
  EXPECT_EQ(finding(report, "with a grain").holds, Holds(true));
  // Of the two runs the parameter decides which is meant.
  EXPECT_NE(finding(report, "with a grain").figures.find("1.98x"), std::string::npos);
}

TEST(MatmulParallel, TheSlidesRowsAreCores) {
  Document document = document_of("full");
  const Shape shape{{"m", 4000}, {"k", 8000}, {"n", 4000}};
  document.put(timed("matmul", "double", "recursive", shape, 100));
  document.put(timed("matmul", "double", "recursive", shape, 4, 0, 32));
  const Report report = reported("matmul-parallel", document);
  EXPECT_EQ(ratio(report, "recursive on 32 cores over one").here, 25);
  EXPECT_NEAR(ratio(report, "recursive on 32 cores over one").slide, 420.906 / 13.051, 1e-9);
  EXPECT_EQ(finding(report, "the cache-oblivious product scales").holds, Holds(false));
}

TEST(CilkviewTiming, BothPrograms) {
  Document document = document_of("full");
  const auto put = [&](const char* program, int threads, double seconds) {
    Record record = counted(std::string("cilkview-timing: ") + program, {{"iterations", 1000000}},
                            {{.name = "time", .unit = "s", .value = seconds, .spread = 0.5}});
    record.threads = threads;
    document.put(record);
  };
  put("original", 1, 8);
  put("original", 2, 10);
  put("interchanged", 1, 8);
  put("interchanged", 2, 4);
  const Report report = reported("cilkview-timing", document);
  EXPECT_EQ(finding(report, "the original slows down").holds, Holds(true));
  EXPECT_EQ(finding(report, "the interchanged loops").holds, Holds(true));
  const std::vector<std::string> row{"", "2", "9.611", "10", "0.5", "0.803", "0.800"};
  EXPECT_EQ(report.grids.at(0).rows.at(1), row);
  EXPECT_EQ(report.ratios.at(1).here, 2);
}

// ------------------------------------------------------------------------------------------------- counted

Document accesses_of(double row_of_c) {
  Document document = document_of();
  const auto put = [&](const char* row, double a, double b, double c) {
    document.put(counted(row, {{"m", 1}},
                         {number("elements", a, {{"matrix", "A"}}), number("elements", b, {{"matrix", "B"}}),
                          number("elements", c, {{"matrix", "C"}})}));
  };
  put("matmul-accesses: one row", 1024, 384, row_of_c);
  put("matmul-accesses: one 32 x 32 block", 1024, 12288, 12288);
  return document;
}

TEST(MatmulAccesses, TheSlidesTotalIsMisprinted) {
  const Report report = reported("matmul-accesses", accesses_of(393216));
  EXPECT_EQ(finding(report, "one row: 394524").holds, Holds(false));
  EXPECT_NE(finding(report, "one row: 394524").why.find("misprinted by 100"), std::string::npos);
  EXPECT_EQ(finding(report, "one 32 x 32 block: 25600").holds, Holds(true));
  EXPECT_EQ(finding(report, "a block touches fewer").holds, Holds(true));
  EXPECT_NEAR(report.ratios.at(0).here, 394624.0 / 25600, 1e-12);
  EXPECT_EQ(finding(reported("matmul-accesses", accesses_of(393116)), "one row: 394524").holds, Holds(true));
  EXPECT_EQ(finding(reported("matmul-accesses", accesses_of(5)), "a block touches fewer").holds,
            Holds(false));
}

Record product_counts(const char* variant, double l1, double l2) {
  return counted(std::string("matmul-counters: ") + variant + ", counted",
                 {{"m", 32}, {"n", 584}, {"k", 584}},
                 {number("cycles", 300), number("instructions", 100), number("L1 data misses", l1),
                  number("L2 data misses", l2), number("loads", 150), number("stores", 50),
                  number("vector instructions, double", 25)});
}

Record product_model(double l1, Index n = 584) {
  Record record =
      counted("matmul-counters: simulated", {{"m", 32}, {"n", n}, {"k", n}},
              {number("accesses", 1000), number("misses", l1, {{"level", 1}}),
               number("misses", l1 / 10, {{"level", 2}}), number("conflict misses", l1 / 2, {{"level", 1}})});
  const Json cache{{"bytes", 32768}, {"ways", 8}, {"line_bytes", 64}};
  record.conditions = {{"caches", {cache, cache}}};
  return record;
}

TEST(MatmulCounters, OfAProcessorThatCounts) {
  Document document = document_of();
  document.put(product_counts("naive", 80, 10));
  document.put(product_counts("transposed", 20, 10));
  document.put(product_counts("tiled", 30, 20));
  const Report report = reported("matmul-counters", document);
  const std::vector<std::string> naive{"naive", "4.78", "3",    "0.24",        "0.4", "0.02",
                                       "0.05",  "43 %", "25 %", "13137280000", "100"};
  EXPECT_EQ(report.grids.at(0).rows.at(0), naive);
  EXPECT_EQ(report.grids.at(0).columns.at(4).title, "L1 hardware");
  EXPECT_EQ(finding(report, "the transposed product").holds, Holds(true));
  EXPECT_EQ(finding(report, "the tiled product has a lower L1").holds, Holds(false));
  EXPECT_EQ(ratio(report, "L1 misses an access, naive over transposed").here, 4);
  EXPECT_NEAR(ratio(report, "L1 misses an access, naive over transposed").slide, 1.6, 1e-12);
}

TEST(MatmulCounters, OfModelsWhereNothingIsCounted) {
  Document document = document_of();
  Record refused = product_counts("naive", absent, absent);
  for (Quantity& quantity : refused.quantities) quantity.value = absent, quantity.reason = "no such counter";
  document.put(refused);
  for (double misses : {400.0, 100.0, 10.0}) {
    Record model = product_model(misses);
    model.variant = std::to_string(misses);
    document.put(model);
  }
  document.put(product_model(50, 512));
  const Report report = reported("matmul-counters", document);
  EXPECT_EQ(report.grids.at(0).columns.at(4).title, "L1 simulated");
  EXPECT_EQ(report.grids.at(0).rows.at(1).at(4), "0.1");
  EXPECT_EQ(report.grids.at(0).rows.at(1).at(2), "needs hardware counters");
  EXPECT_EQ(finding(report, "the tiled product has a lower L1").holds, Holds(true));
  EXPECT_NE(std::ranges::find(report.notes, "Not counted: cycles: no such counter."), report.notes.end());
}

TEST(MatmulCounters, AColumnThatFitsDecidesNothing) {
  Document document = document_of();
  for (double misses : {400.0, 100.0, 10.0}) {
    Record model = product_model(misses, 72);
    model.variant = std::to_string(misses);
    document.put(model);
  }
  document.put(product_model(50, 64));
  EXPECT_EQ(finding(reported("matmul-counters", document), "the transposed product").holds, Holds());
}

TEST(PeakRatios, OfStoredLimits) {
  Limits limits;
  limits.clock_ghz = 3.0;
  for (const auto& [element, rate] : {std::pair{"float", 600.0}, {"double", 300.0}})
    limits.peaks.push_back({element, 64, 8, {rate, 1, rate, 5}});
  limits.bandwidths.push_back({"read", 64, 1 << 20, {100, 1, 100, 5}});
  Document document = document_of();
  document.limits = to_records(limits);
  Report report = reported("peak-ratios", document);
  EXPECT_EQ(finding(report, "a word has to be used 24 times").holds, Holds(true));
  EXPECT_EQ(report.ratios.at(0).here, 24);
  limits.bandwidths[0].gb_per_s.best = 200;
  document.limits = to_records(limits);
  report = reported("peak-ratios", document);
  EXPECT_EQ(finding(report, "a word has to be used 24 times").holds, Holds(false));
}

// --------------------------------------------------------------------------------------------- the document

TEST(ReproduceReport, OfThePlansTables) {
  Document document = accesses_of(393216);
  document.plan = plan_of({&find_table("matmul-accesses"), &find_table("fib")});
  const std::string full = reproduce_report.full(document), summary = reproduce_report.summary(document);
  EXPECT_NE(full.find("## matmul-accesses: "), std::string::npos);
  EXPECT_NE(full.find("## fib: "), std::string::npos);
  EXPECT_EQ(full.find("## quicksort"), std::string::npos);
  EXPECT_NE(summary.find("15.41x | 15.41x"), std::string::npos) << summary;
  EXPECT_NE(summary.find("decide, 2 of 3 hold here"), std::string::npos) << summary;
  EXPECT_NE(summary.find("On Z80"), std::string::npos);
}

TEST(ReproduceReport, APlanOfAnotherProgramIsRefused) {
  Document document = document_of();
  document.plan = {{{"table", "matmul-abacus"}}};
  EXPECT_THROW(reproduce_report.full(document), Error);
  document.plan = {{{"title", "none"}}};
  EXPECT_THROW(reproduce_report.full(document), Error);
}

}  // namespace
}  // namespace tallcache
