// What the tables report of a device's memory, from curves of one that does not exist; and that they say why
// there are none.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "bench/show/drawing.hpp"
#include "tests/tables/records.hpp"

namespace tallcache::test {
namespace {

Quantity curve(std::string name, std::string unit, const Axis& over, std::vector<double> values,
               Origin origin = Origin::clock) {
  return {.name = std::move(name),
          .unit = std::move(unit),
          .origin = origin,
          .over = over,
          .values = std::move(values)};
}

const Grid& grid_of(const Report& report, std::string_view begin) {
  for (const Grid& grid : report.grids)
    if (grid.caption.starts_with(begin)) return grid;
  throw Error("no grid " + std::string(begin));
}

constexpr double kib = 1024, mib = 1024 * kib, gib = 1024 * mib;

TEST(MemoryCurves, LatenciesStandBesideTheTexts) {
  const Axis footprint{"footprint", "B", {16 * kib, 4 * mib, 1 * gib}};
  Document document = document_of();
  document.put(counted(
      "littles-law: latencies", Json::object(),
      {number("latency", 29, {{"memory", "shared"}}), number("time of a load", 15, {{"memory", "shared"}}),
       number("distance of runs", 0.5, {{"memory", "shared"}}),
       number("latency", 28, {{"memory", "constant"}}),
       number("time of a load", 14, {{"memory", "constant"}}),
       number("distance of runs", 0, {{"memory", "constant"}}),
       curve("latency", "cycles", footprint, {33, 270, 650}),
       curve("time of a load", "ns", footprint, {17, 140, 330}),
       curve("distance of runs", "%", footprint, {0, 1, 4.5})}));
  const Report report = reported("littles-law", document);
  const auto& rows = grid_of(report, "Latency of a dependent load").rows;
  EXPECT_EQ(rows.at(0), (std::vector<std::string>{"shared memory", "1 KiB", "29", "15", "0.5"}));
  EXPECT_EQ(rows.at(1), (std::vector<std::string>{"constant memory, cached", "1 KiB", "28", "14", "0"}));
  EXPECT_EQ(rows.at(2), (std::vector<std::string>{"L1", "16 KiB", "33", "17", "0"}));
  EXPECT_EQ(rows.at(4), (std::vector<std::string>{"DRAM", "1 GiB", "650", "330", "4.5"}));
  EXPECT_EQ(cell(report.grids.at(0), "H2", "shared memory: latency", "measured here"), "29");
  EXPECT_EQ(cell(report.grids.at(0), "H2", "global memory: latency", "measured here"), "650");
  EXPECT_EQ(cell(report.grids.at(0), "H2", "constant memory, cached: latency", "measured here"), "28");
  EXPECT_EQ(cell(report.grids.at(0), "H2", "registers: latency", "measured here"), "needs a GPU");
  EXPECT_EQ(cell(report.grids.at(0), "S3", "planes for such requests", "measured here"), "-");
  ASSERT_EQ(report.charts.size(), 1u);
  EXPECT_EQ(report.charts[0].series.at(0).points.at(2).y, 650);
  EXPECT_EQ(report.charts[0].marks.size(), 3u);
  const std::string svg = svg_file(report.charts[0]);
  EXPECT_NE(svg.find("bytes: 16384\ncycles of a load: 33<"), svg.npos) << svg;
  EXPECT_NE(svg.find(">L1</text>"), svg.npos) << svg;
  EXPECT_THROW(svg_file({.title = "of nothing"}), Error);
}

TEST(MemoryCurves, TheKneeIsAtNineTenthsOfTheBest) {
  const Axis bytes{"bytes in flight on a multiprocessor", "B", {8 * kib, 16 * kib, 32 * kib, 64 * kib}};
  Document document = document_of();
  document.put(counted("littles-law: bandwidth over bytes in flight", Json::object(),
                       {curve("bandwidth", "GB/s", bytes, {1000, 1799, 1801, 2000})}));
  const Report report = reported("littles-law", document);
  EXPECT_TRUE(std::ranges::any_of(
      report.notes, [](const std::string& note) { return note.starts_with("The knee: 32 KiB in flight"); }));
  EXPECT_EQ(report.charts.at(0).marks.at(0).x, 32 * kib);
}

TEST(MemoryCurves, AchievedOccupancyIsHeldAgainstTheCalculated) {
  const Axis occupancy{"occupancy by the resources", "%", {100, 50, 12.5}};
  const auto holds = [&](double at_half) {
    Document document = document_of();
    document.put(
        counted("occupancy: bandwidth over occupancy", Json::object(),
                {curve("bandwidth", "GB/s", occupancy, {2600, 1400, 370}),
                 curve("achieved occupancy", "%", occupancy, {98.4, at_half, 12.5}, Origin::event)}));
    return finding(reported("occupancy", document), "Achieved occupancy of persistent grids").holds;
  };
  EXPECT_EQ(holds(49), Holds(true));
  EXPECT_EQ(holds(47.9), Holds(false));
  EXPECT_EQ(holds(no_value), Holds(false)) << "a count that is missing is within nothing";
}

TEST(MemoryCurves, ThatAreMissingHaveTheReason) {
  Document document = document_of();
  Record record = counted("coalescing-exercise: bandwidth over stride", Json::object(), {});
  record.outcome = {Status::unavailable, "no GPU on a Z80"};
  document.put(record);
  const Report report = reported("coalescing-exercise", document);
  EXPECT_TRUE(std::ranges::any_of(report.notes, [](const std::string& note) {
    return note == "bandwidth over stride: no GPU on a Z80";
  }));
  EXPECT_TRUE(report.charts.empty());
}

}  // namespace
}  // namespace tallcache::test
