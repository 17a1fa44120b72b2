// What compare reports: where the GPU is ahead, shares, speed-ups, and the best of each side.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/report/compare.hpp"
#include "tests/suite_reports/documents.hpp"

namespace tallcache::test {
namespace {

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
    if (record.backend == "gpu" && record.shape["n"] == 8) mark_wrong(record);
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
          put_transfer(record, TransferMode::pinned, no_value, "out of pinned memory");
  const std::string sentence = crossover_sentence(document, document.plan[0]);
  EXPECT_NE(sentence.find("kernel alone n = 4; with pinned transfers not measured"), sentence.npos)
      << sentence;
  for (Record& record : document.measurements)
    if (record.backend == "gpu") record = record_of({"tiled", no_value, "gpu"}, record.shape["n"]);
  const std::string none = crossover_sentence(document, document.plan[0]);
  EXPECT_NE(none.find("kernel alone not measured"), none.npos) << none;
}

// A graph is faster than anything at n = 1 and 2: it has its own rows and columns, and no part in
// the cross-over.
TEST(Comparison, KeepsGraphsApart) {
  Document document = comparison();
  const Json& part = document.plan[0];
  const std::string plain = crossover_sentence(document, part);
  const auto columns = comparison_summary(document, part).columns.size();
  const Grid before = comparison_summary(document, part);
  for (const Index n : {1, 2}) {
    document.put(graph_of(record_of({"tiled", 9, "gpu"}, n), 0.5));
    document.put(graph_of(record_of({"library", 8, "gpu", 1, true}, n), 0.25));
  }
  ASSERT_EQ(document.measurements.size(), 20u) << "a graph took the place of a plain run";
  EXPECT_EQ(crossover_sentence(document, part), plain);
  const Grid grid = comparison_grid(document, part);
  EXPECT_EQ(grid.rows[3][1], "gpu tiled");
  EXPECT_EQ(grid.rows[4][1], "gpu tiled, graph");
  EXPECT_EQ(grid.rows[4][2], "500");
  EXPECT_EQ(grid.rows[4][6], "-") << "transfers are the plain record's";
  const Grid summary = comparison_summary(document, part);
  ASSERT_EQ(summary.columns.size(), columns + 2);
  EXPECT_EQ(summary.columns[columns].title, "GPU, graph");
  for (std::size_t size = 0; size < 4; ++size) {
    const auto& row = summary.rows[size];
    EXPECT_EQ(std::vector<std::string>(row.begin(), row.begin() + 7), before.rows[size]);
  }
  EXPECT_EQ(summary.rows[0][7], figure(1 / 0.5 * 1e-9) + " (tiled)");
  EXPECT_EQ(summary.rows[0][8], figure(1 / 0.25 * 1e-9) + " (library)");
  EXPECT_EQ(summary.rows[2][7], "-");
  EXPECT_NE(comparison_plot(document, part).find("gpu tiled, graph"), std::string::npos);
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

}  // namespace
}  // namespace tallcache::test
