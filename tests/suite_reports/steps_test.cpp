// What steps reports: each step over the one before.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bench/report/steps.hpp"
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
            (std::vector<std::string>{"step b", "4000", "400", "2e-05", "50 %", "2.00x", "16", "100 %"}));
  EXPECT_EQ(grid.rows[3][5], "4.00x");
  EXPECT_EQ(grid.rows[2],
            (std::vector<std::string>{"step library", "2000", "200", "4e-05", "100 %", "", "-", "-"}));
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
