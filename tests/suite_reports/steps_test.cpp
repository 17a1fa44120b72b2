// What steps reports: each step over the one before.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bench/commands/commands.hpp"
#include "bench/studies/steps/steps.hpp"
#include "tests/suite_reports/documents.hpp"

namespace tallcache::test {
namespace {

TEST(Steps, EachIsOverTheOneBefore) {
  const Document document = stairs();
  const Grid grid = steps_grid(document, document.plan[0]);
  EXPECT_EQ(grid.caption, "op float, n = 80:");
  EXPECT_EQ(grid.columns[3].title, "Mkeys/s");
  EXPECT_EQ(grid.columns[6].title, "bytes moved for each key, counted");
  EXPECT_EQ(grid.rows[1],
            (std::vector<std::string>{"step b", "4 s", "400 ms", "2e-05", "50 %", "2.00x", "16", "100 %"}));
  EXPECT_EQ(grid.rows[3][5], "4.00x");
  EXPECT_EQ(grid.rows[2],
            (std::vector<std::string>{"step library", "2 s", "200 ms", "4e-05", "100 %", "", "-", "-"}));
}

// A step whose errors are larger is named, neither built on nor a gain, and is not what was found.
TEST(Steps, AStepOfAWeakerErrorClassStandsApart) {
  Document document = stairs();
  document.context = {{"cpu", "Z80"}, {"build", {{"compiler", "zcc"}, {"commit", "0123"}}}};
  const std::string before = find_kind("steps").found(document);
  EXPECT_NE(before.find("`c` takes 1 s, 8 times as fast as the textbook's `a` and 2 times as fast as the "
                        "fastest library of the same run of `tallcache steps`, `library`"),
            std::string::npos)
      << before;
  for (Record& record : document.measurements)
    if (record.variant == "b" || record.variant == "c") record.error_class = ErrorClass::normwise;
  Grid grid = steps_grid(document, document.plan[0]);
  EXPECT_EQ(grid.rows[1][0], "step b (normwise)");
  EXPECT_EQ(grid.rows[1][5], "");
  const std::string found = find_kind("steps").found(document);
  EXPECT_NE(found.find("`a` takes 8 s, 1 times as fast"), std::string::npos) << found;
  for (Record& record : document.measurements)
    if (record.variant == "c") record.error_class = ErrorClass::standard;
  EXPECT_EQ(steps_grid(document, document.plan[0]).rows[3][5], "8.00x")
      << "over a, the step before of its class";
}

// A library that was not measured may be the best.
TEST(Steps, TheSentenceNamesLibrariesThatWereNotMeasured) {
  Document document = stairs();
  document.context = {{"cpu", "Z80"}, {"build", {{"compiler", "zcc"}, {"commit", "0123"}}}};
  Json absent = document.plan[0]["steps"][2];
  absent["variant"] = "absent";
  document.plan[0]["steps"].push_back(absent);
  const std::string found = find_kind("steps").found(document);
  EXPECT_NE(
      found.find("as the fastest library of the same run of `tallcache steps`, `library`, without `absent`"),
      std::string::npos)
      << found;
}

// A step for comparison that is a variant of the suite's is none.
TEST(Steps, TheSentenceCallsNoVariantOfTheSuiteALibrary) {
  Document document = stairs();
  document.context = {{"cpu", "Z80"}, {"build", {{"compiler", "zcc"}, {"commit", "0123"}}}};
  for (Record& record : document.measurements) record.peer = false;
  EXPECT_EQ(find_kind("steps").found(document), "");
}

TEST(Steps, AWrongOrAbsentStepHasItsReasonAndIsNotBuiltOn) {
  Document document = stairs();
  mark_wrong(document.measurements[0]);
  std::erase_if(document.measurements, [](const Record& record) { return record.variant == "c"; });
  const Grid grid = steps_grid(document, document.plan[0]);
  EXPECT_EQ(grid.rows[0][1], "wrong result at [0]");
  EXPECT_EQ(grid.rows[0][4], "-");
  EXPECT_EQ(grid.rows[1][5], "-");
  EXPECT_EQ(grid.rows[3][1], "not measured");
  EXPECT_EQ(grid.rows[3][5], "-");
}

}  // namespace
}  // namespace tallcache::test
