// How charts tell the texts' own variants from those that are tuned, and how they are drawn.
#include "bench/show/charts.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bench/show/axis.hpp"
#include "bench/show/drawing.hpp"
#include "tests/suite_reports/documents.hpp"

namespace tallcache::test {
namespace {

Family family(const std::string& operation, const Run& run) {
  Record record = record_of(run, 8);
  record.operation = operation;
  return family_of(record);
}

TEST(Charts, AVariantOfTheTextsIsTextbookOnItsBackend) {
  EXPECT_EQ(family("matmul", {.variant = "naive"}), Family::textbook);
  EXPECT_EQ(family("matmul", {.variant = "recursive_packed"}), Family::ours);
  EXPECT_EQ(family("sort", {.variant = "quicksort"}), Family::textbook);
  for (const char* variant : {"one_block", "grid_tiled", "shared_memory_tiled", "coarsened"})
    EXPECT_EQ(family("matmul", {.variant = variant, .backend = "gpu"}), Family::textbook) << variant;
  for (const char* variant : {"global_atomics", "privatised"})
    EXPECT_EQ(family("counting_sort", {.variant = variant, .backend = "gpu"}), Family::textbook) << variant;
  EXPECT_EQ(family("matmul", {.variant = "warp_tiles", .backend = "gpu"}), Family::ours);
}

TEST(Charts, ANameOfTheOtherBackendsTextbookSaysNothing) {
  EXPECT_EQ(family("transpose", {.variant = "in_place"}), Family::textbook);
  EXPECT_EQ(family("transpose", {.variant = "in_place", .backend = "gpu"}), Family::ours);
  EXPECT_EQ(family("counting_sort", {.variant = "bucketed", .backend = "gpu"}), Family::ours);
  EXPECT_EQ(family("matmul", {.variant = "naive", .backend = "toy"}), Family::ours);
  EXPECT_EQ(family("matmul", {.variant = "naive", .peer = true}), Family::library);
}

Chart three_lines() {
  Chart chart{.title = "Three lines", .x = "n", .y = "time, s"};
  chart.series = {
      {.name = "low", .family = Family::textbook, .points = {{128, 1e-3}, {1024, 2e-3}}},
      {.name = "high", .family = Family::ours, .points = {{128, 1e-4}, {1024, 1}}, .stressed = true},
      {.name = "middle", .family = Family::library, .points = {{128, 1e-2}, {1024, 0.1}}}};
  return chart;
}

// From above as the lines end, below a narrow chart as beside a wide one.
TEST(Drawing, TheLegendIsInTheOrderOfTheLines) {
  for (const double width : {card_width, full_width}) {
    const std::string svg = drawn(three_lines(), width);
    const auto at = [&](const char* name) { return svg.find(std::string(">") + name + "</text>"); };
    EXPECT_LT(at("high"), at("middle")) << width;
    EXPECT_LT(at("middle"), at("low")) << width;
    EXPECT_NE(at("low"), svg.npos) << width;
  }
}

TEST(Drawing, MeasuredSizesAreTheTicks) {
  const std::string svg = drawn(three_lines(), card_width);
  for (const char* tick : {"128", "1024", "1 ms", "100 ms"})
    EXPECT_NE(svg.find(std::string(">") + tick + "</text>"), svg.npos) << tick;
}

TEST(Drawing, TicksNeverTouch) {
  for (const Unit unit : {Unit::number, Unit::seconds, Unit::bytes})
    for (double high = 1.2; high < 1e12; high *= 3) {
      LogAxis axis = axis_over(std::vector{1e-3, high}, 0.03);
      axis.last = 300;
      double free = -1e9;
      const auto ticks = ticks_of(axis, unit, true);
      EXPECT_FALSE(ticks.empty());
      for (const double tick : ticks) {
        const double half = text_width(tick_text(tick, unit), 12) / 2;
        EXPECT_GT(axis.at(tick) - half, free) << tick << " up to " << high;
        free = axis.at(tick) + half;
      }
    }
}

TEST(Drawing, MarkupInANameIsText) {
  Chart chart = three_lines();
  chart.series[0].name = "</svg><script>\"&";
  EXPECT_NE(drawn(chart, card_width).find("&lt;/svg&gt;&lt;script&gt;&quot;&amp;</text>"), std::string::npos);
  EXPECT_EQ(drawn(chart, card_width).find("<script>"), std::string::npos);
}

TEST(Rooflines, HaveEachRunOnceAndTheFastestOfEachSizeByName) {
  Document document = comparison();
  document.context = {{"cpu", "a processor"}};
  document.limits = {limit("multiply_add", "float", 1, 1e-9), limit("memory_traffic", "byte", 1, 1e-9)};
  Rooflines rooflines;
  for (int i = 0; i < 2; ++i) rooflines.add(document);
  const auto by_machine = rooflines.charts();
  ASSERT_EQ(by_machine.size(), 1U);
  const std::vector<Chart>& charts = by_machine.at("a processor");
  ASSERT_EQ(charts.size(), 1U);
  std::size_t points = 0;
  std::string labels;
  for (const Series& series : charts[0].series)
    for (const ChartPoint& point : series.points)
      if (series.drawn == Drawn::points) {
        ++points;
        if (!point.label.empty()) labels += point.label + "; ";
      }
  EXPECT_EQ(points, 12U);
  EXPECT_EQ(labels, "tiled 1; tiled 2; tiled 4; tiled 8; ");
}

}  // namespace
}  // namespace tallcache::test
