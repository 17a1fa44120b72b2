// What compare reports: where the GPU is ahead, shares, speed-ups, and the best of each side.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/show/drawing.hpp"
#include "bench/show/format.hpp"
#include "bench/studies/compare/compare.hpp"
#include "common/random.hpp"
#include "tests/suite_reports/documents.hpp"

namespace tallcache::test {
namespace {

TEST(Comparison, CrossesOverWhereTheGpuStaysAhead) {
  const Document document = comparison();
  const Json& part = document.plan[0];
  EXPECT_EQ(crossover(document, part, TransferMode::none).from, 4);
  EXPECT_EQ(crossover(document, part, TransferMode::pinned).from, 8);
  EXPECT_EQ(crossover(document, part, TransferMode::pageable).from, std::nullopt);
  EXPECT_EQ(crossover_sentence(document, part),
            "The GPU is ahead of the CPU: kernel alone from n = 4 on; with pinned transfers from n = 8 on; "
            "pageable at no size measured.");
}

// A size at which one side has no result is as if it were not there: of a random pattern of sides that are
// ahead, behind, wrong, unavailable and absent, the cross-over is what its definition says of the other
// sizes.
TEST(Comparison, MissingSizesNeitherWinNorLose) {
  std::uint64_t draws = 0;
  const auto draw = [&](std::uint64_t most) { return random_up_to(40, draws++, most); };
  int every = 0, none = 0, later = 0, lost = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    Document document{.kind = "compare", .context = Json::object()};
    document.plan = {{{"operation", "op"}, {"element", "float"}, {"size", "n"}, {"sizes", Json::array()}}};
    std::vector<std::pair<Index, bool>> both;  // the sizes that both have, and whether the GPU is ahead
    for (Index n = 1; n <= 1 << draw(6); n *= 2) {
      document.plan[0]["sizes"].push_back(n);
      double seconds[2] = {no_value, no_value};
      for (const int side : {0, 1}) {
        const std::uint64_t state = draw(5);
        if (state == 0) continue;
        const double taken = state == 1 ? no_value : 1 + static_cast<double>(draw(3));
        Record record = record_of({"tiled", taken, side ? "gpu" : "cpu"}, n);
        if (state == 2) mark_wrong(record);
        if (state > 2) seconds[side] = taken;
        document.put(std::move(record));
      }
      if (!std::isnan(seconds[0] + seconds[1])) both.emplace_back(n, seconds[1] < seconds[0]);
    }
    std::optional<Index> from;
    for (const auto& [n, ahead] : both)
      if (!from &&
          std::ranges::all_of(both, [n = n](const auto& size) { return size.first < n || size.second; }))
        from = n;
    const auto ahead = std::ranges::count_if(both, [](const auto& size) { return size.second; });
    const Crossover found = crossover(document, document.plan[0], TransferMode::none);
    ASSERT_EQ(found.from, from) << document.plan[0].dump();
    ASSERT_EQ(found.compared, std::ssize(both));
    ASSERT_EQ(found.ahead, ahead);
    const auto on = [](Index n) { return "n = " + std::to_string(n); };
    const std::string expected = both.empty()                ? "not measured"
                                 : ahead == std::ssize(both) ? "at every size measured"
                                 : ahead == 0                ? "at no size measured"
                                 : from                      ? "from " + on(*from) + " on"
                                        : "not at " + on(both.back().first) + ", the largest size measured";
    ASSERT_EQ(crossover_sentence(document, document.plan[0]),
              "The GPU is ahead of the CPU: kernel alone " + expected +
                  "; with pinned transfers not measured; pageable not measured.");
    every += !both.empty() && ahead == std::ssize(both);
    none += !both.empty() && ahead == 0;
    later += from && *from > both.front().first;
    lost += !from && ahead > 0;
  }
  EXPECT_GT(std::min({every, none, later, lost}), 50) << "the patterns do not show every sentence";
}

// Each further device has a line of its own, on the one chart, which then takes the width of the page.
TEST(Comparison, DrawsEveryDevice) {
  Document document = comparison();
  const Json part = document.plan[0];
  const auto lines = [&] {
    return std::ranges::count_if(comparison_chart(document, part).series,
                                 [](const Series& series) { return !series.points.empty(); });
  };
  const auto before = lines();
  for (const char* device : {"npu", "fpga", "dsp", "ipu", "tpu"})
    for (const Index n : {1, 2, 4, 8}) document.put(record_of({"fastest", 0.5, device}, n));
  EXPECT_EQ(lines(), before + 5);
  EXPECT_TRUE(is_crowded(comparison_chart(document, part)));
}

// The fastest of the GPU, but its errors are larger: it has a column of its own, and no part in the
// cross-over.
TEST(Comparison, HoldsWeakerErrorsApart) {
  Document document = comparison();
  const Json& part = document.plan[0];
  const std::string sentence = crossover_sentence(document, part);
  const Grid before = comparison_summary(document, part);
  const std::size_t lines = comparison_chart(document, part).series.size();
  EXPECT_EQ(comparison_sentences(document, part), sentence);
  for (const Index n : {1, 2, 4, 8}) {
    Record truncated = record_of({"truncated", 0.5, "gpu"}, n);
    truncated.error_class = ErrorClass::truncated_sums;
    document.put(std::move(truncated));
  }
  EXPECT_EQ(crossover_sentence(document, part), sentence);
  const Grid summary = comparison_summary(document, part);
  ASSERT_EQ(summary.columns.size(), before.columns.size() + 1);
  EXPECT_EQ(summary.columns.back().title, "GPU, truncated_sums");
  for (std::size_t size = 0; size < 4; ++size) {
    auto row = summary.rows[size];
    EXPECT_EQ(row.back(), figure(part["sizes"][size].get<double>() / 0.5 * 1e-9) + " (truncated)");
    row.pop_back();
    EXPECT_EQ(row, before.rows[size]);
  }
  EXPECT_NE(comparison_sentences(document, part).find("truncated_sums: errors up to (27/8 k + 5)"),
            std::string::npos);
  EXPECT_EQ(comparison_grid(document, part).rows[4][1], "gpu truncated (truncated_sums)");
  // The chart draws the standard class alone.
  EXPECT_EQ(comparison_chart(document, part).series.size(), lines);
}

TEST(Comparison, TakesNoWrongResultForTheBest) {
  Document document = comparison();
  for (Record& record : document.measurements)
    if (record.backend == "gpu" && record.shape["n"] == 8) mark_wrong(record);
  EXPECT_EQ(crossover(document, document.plan[0], TransferMode::none).from, 4) << "n = 8 says nothing";
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
  EXPECT_NE(sentence.find("kernel alone from n = 4 on; with pinned transfers not measured"), sentence.npos)
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
  EXPECT_EQ(grid.rows[4][2], "500 ms");
  EXPECT_EQ(grid.rows[4][7], "-") << "transfers are the plain record's";
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
}

TEST(Comparison, HasSharesSpeedUpsAndTheBestOfEachSide) {
  Document document = comparison();
  document.limits = {limit("multiply_add", "float", 1, 1e-9), limit("multiply_add", "float", 2, 4e-9)};
  const Grid grid = comparison_grid(document, document.plan[0]);
  ASSERT_EQ(grid.rows.size(), 16u);
  const auto& one = grid.rows[12];  // n = 8
  EXPECT_EQ(one[0], "n = 8");
  EXPECT_EQ(one[1], "cpu tiled");
  EXPECT_EQ(one[2], "10 s");
  EXPECT_EQ(one[5], "80.0 %");
  EXPECT_EQ(one[6], "-");
  EXPECT_EQ(grid.rows[13][1], "cpu tiled, 2 threads");
  EXPECT_EQ(grid.rows[13][5], "10.0 %");
  EXPECT_EQ(grid.rows[13][6], "0.50x");
  EXPECT_EQ(grid.rows[13][7], "-") << "the CPU has no transfers";
  EXPECT_EQ(grid.rows[14][6], "-") << "the library was not run on one thread";
  EXPECT_EQ(grid.rows[15][5], "-") << "no limit of the GPU's was measured";
  EXPECT_EQ(grid.rows[15][7], figure(8.0 / 9 * 1e-9));
  Document on_host = document;
  std::erase_if(on_host.measurements, [](const Record& record) { return record.backend != "cpu"; });
  EXPECT_EQ(comparison_grid(on_host, document.plan[0]).columns.back().title, "over one thread");
  const auto summary = comparison_summary(document, document.plan[0]).rows.back();
  const auto best = [](double seconds, const char* name) {
    return figure(8 / seconds * 1e-9) + " (" + name + ")";
  };
  EXPECT_EQ(summary,
            (std::vector<std::string>{"n = 8", best(10, "tiled"), best(20, "tiled"), best(12, "library"),
                                      best(2, "tiled"), "-", best(9, "tiled")}));
  EXPECT_THROW(
      svg_file(comparison_chart({.kind = "compare", .context = {}, .plan = document.plan}, document.plan[0])),
      Error);
}

}  // namespace
}  // namespace tallcache::test
