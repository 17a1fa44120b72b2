// The tables of counts and of measured limits: cells, ratios and findings.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "bench/results/limits.hpp"
#include "tests/tables/records.hpp"

namespace tallcache::test {
namespace {

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

// An algorithm's line on each side: the text's counts, and the suite's own variant over the fastest library.
TEST(WorkSpanSides, OfStoredRecords) {
  const auto library = [](std::string_view variant, double seconds) {
    Record record = timed("sort", "uint32", variant, {{"n", 1000000}}, seconds);
    record.peer = true;
    return record;
  };
  Document document = document_of();
  for (const int lg : {6, 8, 10, 12})  // as many as a growth is fitted to
    document.put(counted("work-span: merge sort, merge_sort", {{"n", 1 << lg}},
                         {number("work", lg << lg), number("span", lg * lg * lg), number("burdened span", 1),
                          number("spawns", 1), number("strands", 1), number("strands along the span", 1)}));
  document.put(counted("work-span: merge sort, gpu merge_sort", {{"n", 16384}},
                       {number("work", 5000), number("span", 50)}));
  document.put(timed("sort", "uint32", "distribution_sort", {{"n", 1000000}}, 0.002));
  document.put(library("std_sort", 0.01));
  document.put(library("vqsort", 0.003));
  const std::vector<Grid> grids = reported("work-span", document).grids;
  const Grid &counts = grids.at(grids.size() - 2), &times = grids.back();
  using Cells = std::vector<std::string>;
  EXPECT_EQ(counts.rows.at(0), (Cells{"merge sort", "CPU", "any", "4096", "49152", "1728", "28.44"}));
  EXPECT_EQ(counts.rows.at(1), (Cells{"", "GPU", "merge_sort", "16384", "5000", "50", "100"}));
  EXPECT_EQ(times.rows.at(0), (Cells{"merge sort", "CPU", "distribution_sort", "2", "vqsort", "1.50x"}));
  EXPECT_EQ(times.rows.at(1), (Cells{"", "GPU", "not measured", "-", "-", "-"}));
  EXPECT_EQ(times.rows.size(), 14u);
  EXPECT_EQ(counts.rows.back().at(2), "not modelled");
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
  Record refused = product_counts("naive", no_value, no_value);
  for (Quantity& quantity : refused.quantities)
    quantity.value = no_value, quantity.reason = "no such counter";
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
  limits.operations.push_back({"logic", "uint32", {16000, 1, 16000, 5}});
  Document document = document_of();
  document.limits = to_records(limits);
  EXPECT_EQ(limits_from(document.limits), limits);
  Report report = reported("peak-ratios", document);
  EXPECT_EQ(finding(report, "a word has to be used 24 times").holds, Holds(true));
  EXPECT_EQ(report.ratios.at(0).here, 24);
  limits.bandwidths[0].gb_per_s.best = 200;
  document.limits = to_records(limits);
  report = reported("peak-ratios", document);
  EXPECT_EQ(finding(report, "a word has to be used 24 times").holds, Holds(false));
}

}  // namespace
}  // namespace tallcache::test
