// What run reports: times, phases, and the reason where there is none.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "bench/studies/run/run.hpp"
#include "tests/suite_reports/documents.hpp"

namespace tallcache::test {
namespace {

TEST(RunReport, HasPhasesAndReasons) {
  Document document{.kind = "run", .context = Json::object()};
  EXPECT_THROW(run_grid(document), Error);
  Record timed = record_of({"tiled", 0.5}, 8);
  timed.conditions["caches"] = "cold";
  timed.quantities.push_back({.name = "time", .unit = "s", .value = 0.25, .at = {{"phase", "sort"}}});
  document.put(std::move(timed));
  document.put(record_of({"tiled", no_value, "gpu"}, 8));
  const Grid grid = run_grid(document);
  EXPECT_EQ(grid.caption, "op float n=8, cold caches:");
  EXPECT_EQ(grid.rows[0],
            (std::vector<std::string>{"tiled", "500.0000", "50.0000", "0.00", "sort 250.0000 ms"}));
  EXPECT_EQ(grid.columns.size(), 5u);
  EXPECT_EQ(grid.rows[1], (std::vector<std::string>{"gpu tiled", "-", "", "", "no device"}));
  document.measurements.pop_back();
  document.measurements[0].quantities.pop_back();
  EXPECT_EQ(run_grid(document).columns.size(), 4u) << "there is nothing to note";
}

TEST(RunReport, NamesAGraphInItsRow) {
  Document document{.kind = "run", .context = Json::object()};
  document.put(graph_of(record_of({"tiled", 0.5, "gpu"}, 8), 0.25));
  document.put(record_of({"tiled", 0.5, "gpu"}, 8));
  ASSERT_EQ(document.measurements.size(), 2u);
  const Grid grid = run_grid(document);
  EXPECT_EQ(grid.caption, "op float n=8:");
  EXPECT_EQ(grid.rows[0][0], "gpu tiled, graph");
  EXPECT_EQ(grid.rows[1][0], "gpu tiled");
}

}  // namespace
}  // namespace tallcache::test
