// What run reports: times, phases, and the reason where there is none.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "bench/show/format.hpp"
#include "bench/studies/run/run.hpp"
#include "tests/suite_reports/documents.hpp"

namespace tallcache::test {
namespace {

TEST(RunReport, HasPhasesAndReasons) {
  Document document{.kind = "run", .context = Json::object()};
  EXPECT_THROW(run_grids(document), Error);
  Record timed = record_of({"tiled", 0.5}, 8);
  timed.conditions["caches"] = "cold";
  timed.quantities.push_back({.name = "time", .unit = "s", .value = 0.25, .at = {{"phase", "sort"}}});
  document.put(std::move(timed));
  document.put(record_of({"tiled", no_value, "gpu"}, 8));
  const Grid grid = run_grids(document).at(0);
  EXPECT_EQ(grid.caption, "op float n=8, cold caches:");
  EXPECT_EQ(grid.rows[0], (std::vector<std::string>{"tiled", "500 ms", "50 ms", "0.00", "sort 250 ms"}));
  EXPECT_EQ(grid.columns.size(), 5u);
  EXPECT_EQ(grid.rows[1], (std::vector<std::string>{"gpu tiled", "-", "", "", "no device"}));
  document.measurements.pop_back();
  document.measurements[0].quantities.pop_back();
  EXPECT_EQ(run_grids(document).at(0).columns.size(), 4u) << "there is nothing to note";
}

TEST(RunReport, HasAGridAShapeAndSpeedsOverTheFirst) {
  Document document{.kind = "run", .context = Json::object()};
  for (const Index n : {8, 16}) {
    document.put(record_of({"naive", 0.5}, n));
    document.put(record_of({"tiled", 0.125}, n));
  }
  const auto grids = run_grids(document);
  ASSERT_EQ(grids.size(), 2u);
  EXPECT_EQ(grids[1].caption, "op float n=16:");
  EXPECT_EQ(grids[0].columns.back().title, "over naive");
  EXPECT_EQ(grids[0].rows[0].back(), "1.00x");
  EXPECT_EQ(grids[0].rows[1].back(), "4.00x");
}

TEST(RunReport, SaysOnceThatThereIsNoDevice) {
  Document document{.kind = "run", .context = Json::object()};
  document.put(record_of({"naive", 0.5}, 8));
  for (const char* variant : {"naive", "tiled", "coalesced"})
    document.put(record_of({variant, no_value, "gpu"}, 8));
  const Grid grid = run_grids(document).at(0);
  ASSERT_EQ(grid.rows.size(), 2u);
  EXPECT_EQ(grid.rows[1].front(), "3 variants on the GPU");
  EXPECT_EQ(grid.rows[1].back(), "no device");
}

TEST(RunReport, UnitsFit) {
  EXPECT_EQ(duration(0.7e-6), "0.7 us");
  EXPECT_EQ(duration(12.345e-3), "12.35 ms");
  EXPECT_EQ(duration(2), "2 s");
  EXPECT_EQ(duration(5e-9), "5 ns");
  EXPECT_EQ(duration(no_value), "-");
}

TEST(RunReport, NamesAGraphInItsRow) {
  Document document{.kind = "run", .context = Json::object()};
  document.put(graph_of(record_of({"tiled", 0.5, "gpu"}, 8), 0.25));
  document.put(record_of({"tiled", 0.5, "gpu"}, 8));
  ASSERT_EQ(document.measurements.size(), 2u);
  const Grid grid = run_grids(document).at(0);
  EXPECT_EQ(grid.caption, "op float n=8:");
  EXPECT_EQ(grid.rows[0][0], "gpu tiled, graph");
  EXPECT_EQ(grid.rows[1][0], "gpu tiled");
}

}  // namespace
}  // namespace tallcache::test
