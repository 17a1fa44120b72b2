// The findings of the table of misses in private caches, on counts that keep the bounds and that do not.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/tables/records.hpp"

namespace tallcache::test {
namespace {

using Holds = std::optional<bool>;

// REC-MULT of 64^3 on caches of 1024 and 8192 words, ten steals on several. `growth`: Q_P / Q_1.
Record rec_mult_on_caches(double growth) {
  Record record = counted("parallel-misses: REC-MULT", {{"m", 64}, {"n", 64}, {"k", 64}}, {});
  record.element = "double";
  for (const int p : {1, 2, 4, 8, 16}) {
    const Json plan{{"caches", p}};
    for (const auto& [name, value] : {std::pair{"steals", p > 1 ? 10.0 : 0.0},
                                      {"span", 1000.0},
                                      {"total steps", 1e6},
                                      {"steps", 1e6 / p}})
      record.quantities.push_back(number(name, value, plan));
    for (const int bytes : {8 << 10, 64 << 10}) {
      const Json at{{"caches", p}, {"cache", bytes}};
      record.quantities.push_back(number("serial misses", 1000, at));
      record.quantities.push_back(number("misses", p > 1 ? 1000 * growth : 1000, at));
    }
  }
  return record;
}

Report report_on(double growth) {
  Document document = document_of();
  document.put(rec_mult_on_caches(growth));
  return reported("parallel-misses", document);
}

// 2 (Z/L) of ten steals are 2560 misses in the smaller caches.
TEST(ParallelMissesTable, ComparesWithBothBounds) {
  const Report small = report_on(1.1);
  EXPECT_EQ(finding(small, "REC-MULT: Q_P - Q_1").holds, Holds(true));
  EXPECT_EQ(finding(small, "REC-MULT: Q_P grows").holds, Holds(true));
  ASSERT_EQ(small.charts.size(), 1u);
  EXPECT_EQ(small.charts[0].series.at(0).points.size(), 5u);
  const Report large = report_on(3.6);  // 2600 more
  EXPECT_EQ(finding(large, "REC-MULT: Q_P - Q_1").holds, Holds(false));
  // 21 segments have 2.5 times the order of one, in the smaller caches.
  EXPECT_EQ(finding(report_on(3.5), "REC-MULT: Q_P - Q_1").holds, Holds(true));
  EXPECT_EQ(finding(report_on(8), "REC-MULT: Q_P grows").holds, Holds(false));
}

}  // namespace
}  // namespace tallcache::test
