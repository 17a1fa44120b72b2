// The GPU's counters without a GPU: the names and the passes of all metrics on an H200's chip, by the
// profiler's host interface, and the reasons for what cannot be counted.
#include "gpu/device_counters.hpp"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>

#include "common/error.hpp"
#include "gpu/cuda_state.hpp"
#include "gpu/cupti.hpp"

namespace tallcache::gpu {
namespace {

constexpr const char* h200 = "GH100";

class Metrics : public testing::Test {
 protected:
  void SetUp() override {
    try {
      metric_passes(h200, std::array{"smsp__inst_executed.sum"});
    } catch (const Error& error) {
      if (error.status() != Status::unavailable) throw;
      GTEST_SKIP() << error.what();
    }
  }
};

TEST_F(Metrics, AreKnownAndTakeTheirPasses) {
  const std::array<int, device_metric_groups> passes{1, 1, 1, 1, 1, 1, 1, 2, 1};
  for (int group = 0; group < device_metric_groups; ++group)
    EXPECT_EQ(metric_passes(h200, metrics_of_group(group)), passes[static_cast<std::size_t>(group)]) << group;
  for (const DeviceMetric& metric : device_metrics)
    EXPECT_EQ(metric_passes(h200, std::array{metric.metric}), 1) << metric.metric;
}

TEST_F(Metrics, OnesThatAChipLacksAreNamed) {
  try {
    metric_passes(h200, std::array{"smsp__inst_executed.sum", "smsp__inst_exekuted.sum"});
    ADD_FAILURE() << "a metric that there is not was taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::unsupported);
    EXPECT_STREQ(error.what(), "GH100 has no metric 'smsp__inst_exekuted.sum'");
  }
  EXPECT_THROW(metric_passes("GH999", std::array{"smsp__inst_executed.sum"}), Error);
}

TEST_F(Metrics, ReasonsNameCuptisResult) {
  EXPECT_EQ(cupti_reason(35),
            "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES: the driver gives counters to administrators alone");
  EXPECT_EQ(cupti_reason(39), "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED: another profiler is attached");
  EXPECT_EQ(cupti_reason(8), "CUPTI_ERROR_OUT_OF_MEMORY (8)");
  EXPECT_FALSE(cupti_reason(12345).empty());
}

TEST(DeviceMetrics, AreInGroupsAndNamedOnce) {
  std::set<std::string_view> quantities, metrics;
  for (const DeviceMetric& metric : device_metrics) {
    EXPECT_TRUE(metric.group >= 0 && metric.group < device_metric_groups) << metric.metric;
    EXPECT_TRUE(quantities.insert(metric.quantity).second) << metric.quantity;
    EXPECT_TRUE(metrics.insert(metric.metric).second) << metric.metric;
  }
}

TEST(DeviceCounters, WithoutADeviceAreAbsentWithTheReason) {
  if (device_unavailable(0).empty()) GTEST_SKIP() << "there is a GPU";
  const auto counts = count_on_device(0, {[] { ADD_FAILURE() << "nothing can run"; }});
  ASSERT_EQ(counts.size(), device_metrics.size());
  for (const DeviceCount& count : counts) {
    EXPECT_FALSE(count.value) << count.quantity;
    EXPECT_EQ(count.value.absent, device_unavailable(0)) << count.quantity;
  }
}

}  // namespace
}  // namespace tallcache::gpu
