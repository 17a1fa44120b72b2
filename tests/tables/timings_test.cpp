// The tables of timings: cells, ratios and findings, each way that a finding can end.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tests/tables/records.hpp"

namespace tallcache::test {
namespace {

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

}  // namespace
}  // namespace tallcache::test
