// The speed-up that a profile promises, and the burden that a fork is charged with.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <string>

#include "bench/tables/table.hpp"
#include "common/fork/work_span.hpp"

namespace tallcache::test {
namespace {

// The slide's estimates, to the digits that it prints, from its own work, span and burdened span.
TEST(SpeedupRange, IsTheSlides) {
  const Json& slide = slide_table("cilkview-profile");
  const auto figure = [&](const char* row, int column) {
    for (const Json& line : slide["rows"])
      if (line[0] == row) return line[static_cast<std::size_t>(column)].get<double>();
    throw Error(row);
  };
  const auto rounded = [](double value) { return std::round(value * 100) / 100; };
  const Json& estimates = slide["speedup_estimates"];
  int compared = 0;
  for (int column : {1, 2}) {
    const std::string program = slide["columns"][static_cast<std::size_t>(column)];
    const Profile p{.work = figure("work_instructions", column),
                    .span = figure("span_instructions", column),
                    .burdened_span = figure("burdened_span_instructions", column)};
    EXPECT_EQ(rounded(p.parallelism()), figure("parallelism", column));
    EXPECT_EQ(rounded(p.burdened_parallelism()), figure("burdened_parallelism", column));
    for (std::size_t i = 0; i < estimates["processors"].size(); ++i, ++compared) {
      const SpeedupRange range = speedup_range(p, estimates["processors"][i]);
      EXPECT_EQ(rounded(range.low), estimates[program + "_low"][i]) << program << " " << i;
      EXPECT_EQ(rounded(range.high), estimates[program + "_high"][i]) << program << " " << i;
    }
  }
  EXPECT_EQ(compared, 10);
}

TEST(SpeedupRange, OfOneProcessorIsOne) {
  const Profile p{.work = 1000, .span = 10, .burdened_span = 5000};
  EXPECT_DOUBLE_EQ(speedup_range(p, 1).low, 1);
  EXPECT_DOUBLE_EQ(speedup_range(p, 1).high, 1);
}

TEST(MeasuredBurden, IsACost) {
  for (ForkPolicy policy : fork_policies) {
    const double burden = measured_burden(policy);
    EXPECT_GT(burden, 0);
    EXPECT_LT(burden, 1e9);
    EXPECT_EQ(measured_burden(policy), burden) << "measured once";
  }
}

}  // namespace
}  // namespace tallcache::test
