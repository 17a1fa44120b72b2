// What fits a terminal, and what sweeps and patterns name.
#include "bench/show/fit.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "bench/measure/sweep.hpp"
#include "bench/suites/by_name.hpp"
#include "common/error.hpp"

namespace tallcache {
namespace {

using Strings = std::vector<std::string>;

TEST(Fit, LinesBreakBetweenWords) {
  EXPECT_EQ(lines_of("one two  three", 8), (Strings{"one two", "three"}));
  EXPECT_EQ(lines_of("one two  three", 14), (Strings{"one two  three"}));
  EXPECT_EQ(lines_of("unbreakable", 4), (Strings{"unbreakable"}));
  EXPECT_EQ(lines_of("", 4), (Strings{""}));
  EXPECT_EQ(wrapped("- one two three", 9, 2), "- one\n  two\n  three");
  EXPECT_EQ(lines_of("\u03b8\u03b8 \u03b8\u03b8", 5).size(), 1u) << "letters, not bytes";
}

TEST(Fit, WhatIsClippedSaysSo) {
  EXPECT_EQ(clipped("matmul", 6), "matmul");
  EXPECT_EQ(clipped("matmuls", 6), "mat...");
  EXPECT_EQ(width_of(clipped("\u03b8\u03b8\u03b8\u03b8\u03b8\u03b8\u03b8", 6)), 6u);
}

TEST(Fit, TheWidestCellsAreBroken) {
  const Grid grid{.caption = "",
                  .columns = {{"name", true}, {"what it is", true}, {"ms"}},
                  .rows = {{"naive", "three loops in a row", "12.5"}}};
  const FittedGrid whole = fitted(grid, 100), narrow = fitted(grid, 26);
  EXPECT_EQ(whole.rows.size(), 2u);
  EXPECT_EQ(narrow.rows[1], (Strings{"naive", "three loops", "12.5"}));
  EXPECT_EQ(narrow.rows[2], (Strings{"", "in a row", ""}));
}

TEST(Fit, AFigureKeepsItsUnit) {
  const Grid grid{.caption = "",
                  .columns = {{"name", true}, {"time of it"}, {"why", true}},
                  .rows = {{"naive", "155.8 us", "as it was found"}}};
  const FittedGrid narrow = fitted(grid, 24);
  EXPECT_EQ(narrow.header_rows, 2u);
  EXPECT_EQ(narrow.rows[2], (Strings{"naive", "155.8 us", "as it"}));
}

TEST(Fit, ColumnsThatAreTooManyGoOnBelow) {
  Grid grid{.caption = "counts:", .columns = {{"event", true}}, .rows = {{"instructions"}}};
  for (int c = 0; c < 9; ++c) {
    grid.columns.push_back({"variant_" + std::to_string(c)});
    grid.rows[0].push_back(std::to_string(123456789 + c));
  }
  setenv("COLUMNS", "60", 1);
  const std::string text = render(grid, Style::terminal);
  unsetenv("COLUMNS");
  std::istringstream lines(text);
  int headed = 0;
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(width_of(line), 60u) << line;
    headed += line.find("instructions") != std::string::npos;
  }
  EXPECT_EQ(headed, 3) << text;
  for (const auto& cell : grid.rows[0]) EXPECT_NE(text.find(cell), std::string::npos) << cell;
  EXPECT_EQ(text.find("counts:"), text.rfind("counts:"));
  const std::string markdown = render(grid, Style::markdown);
  EXPECT_NE(markdown.find("variant_0 | variant_1 | variant_2 | variant_3"), std::string::npos) << markdown;
}

TEST(Fit, COLUMNSIsTheWidth) {
  setenv("COLUMNS", "72", 1);
  EXPECT_EQ(line_width(), 72u);
  setenv("COLUMNS", "1", 1);
  EXPECT_EQ(line_width(), 40u) << "the least";
  setenv("COLUMNS", "wide", 1);
  EXPECT_GE(line_width(), 40u);
  unsetenv("COLUMNS");
}

TEST(Sweep, HasItsShapesInOrder) {
  EXPECT_EQ(swept_shapes("m=64..256*2,k=8"), (Strings{"m=64,k=8", "m=128,k=8", "m=256,k=8"}));
  EXPECT_EQ(swept_shapes("m=100..350+100"), (Strings{"m=100", "m=200", "m=300"}));
  EXPECT_EQ(swept_shapes("m=1..2*2,k=3..4+1"), (Strings{"m=1,k=3", "m=1,k=4", "m=2,k=3", "m=2,k=4"}));
  EXPECT_EQ(swept_shapes("m=5"), Strings{"m=5"});
  EXPECT_EQ(swept_shapes(""), Strings{""});
  EXPECT_EQ(swept_shapes("m=9223372036854775806..9223372036854775807+5").size(), 1u) << "no overflow";
}

TEST(Sweep, RefusesWhatIsNone) {
  for (const char* text : {"m=1..8", "m=8..1*2", "m=1..8*1", "m=0..8*2", "m=1..8+0", "m=..8*2", "m=1..*2",
                           "m=1..8*", "m=1..", "m=1...8*2", "m=1..9999+1", "m=1..100+1,n=1..100+1"})
    EXPECT_THROW(swept_shapes(text), Error) << text;
}

TEST(Patterns, MatchWholeNames) {
  EXPECT_TRUE(is_pattern("rec*"));
  EXPECT_FALSE(is_pattern("recursive"));
  EXPECT_TRUE(matches("*-gpu*", "transpose-gpu-k40"));
  EXPECT_FALSE(matches("rec", "recursive"));
  const std::vector<std::string_view> known{"naive", "recursive", "recursive_packed"};
  EXPECT_EQ(places_of("rec*", known, "variant"), (std::vector<std::size_t>{1, 2}));
  EXPECT_EQ(places_of("recursive", known, "variant"), (std::vector<std::size_t>{1}));
  EXPECT_THROW(places_of("x*", known, "variant"), Error);
}

}  // namespace
}  // namespace tallcache
