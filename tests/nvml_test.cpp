// The state of a GPU as NVML tells it, by a library that stands in for the driver's
// (tests/nvml_stand_in.cpp).
#include <gtest/gtest.h>

#include "gpu/nvml.hpp"

namespace tallcache::gpu {
namespace {

using Names = std::vector<std::string>;

TEST(Nvml, ThrottleReasonsHaveNames) {
  EXPECT_EQ(throttle_names(0), Names{});
  EXPECT_EQ(throttle_names(0x1), Names{"gpu_idle"});
  EXPECT_EQ(throttle_names(0x1ff).size(), 9u);
  EXPECT_EQ(throttle_names(0x8c), (Names{"sw_power_cap", "hw_slowdown", "hw_power_brake_slowdown"}));
  EXPECT_EQ(throttle_names(0x160),
            (Names{"sw_thermal_slowdown", "hw_thermal_slowdown", "display_clock_setting"}));
  EXPECT_EQ(throttle_names(1ull << 40), Names{"bit_40"});
}

TEST(Nvml, TellsFiguresInTheirUnitsAndWhyOneIsAbsent) {
  const Figure<DeviceState> state = nvml_state("0000:01:00.0");
  ASSERT_TRUE(state) << state.absent;
  EXPECT_EQ(state->sm_clock_mhz, Figure<int>(1410));
  EXPECT_EQ(state->memory_clock_mhz, Figure<int>(1215));
  ASSERT_TRUE(state->power_w);
  EXPECT_DOUBLE_EQ(*state->power_w, 71.5);
  EXPECT_EQ(state->temperature_c, Figure<int>::none("nvmlDeviceGetTemperature: Not Supported"));
  EXPECT_EQ(state->throttle_reasons, Figure<Names>(Names{"sw_power_cap", "hw_thermal_slowdown"}));
  ASSERT_TRUE(state->power_throttled_s);
  EXPECT_DOUBLE_EQ(*state->power_throttled_s, 2.5);
  EXPECT_EQ(state->thermal_throttled_s, Figure<double>(0.0));
}

TEST(Nvml, TellsEnergyInJoules) {
  const Figure<double> joules = nvml_joules("0000:01:00.0");
  ASSERT_TRUE(joules) << joules.absent;
  EXPECT_DOUBLE_EQ(*joules, 5'000'000'000.25);
}

TEST(Nvml, ADeviceThatIsNotThereIsAbsent) {
  EXPECT_EQ(nvml_joules("0000:02:00.0"), Figure<double>::none("nvmlDeviceGetHandleByPciBusId: Not Found"));
  EXPECT_EQ(nvml_state("0000:02:00.0"),
            Figure<DeviceState>::none("nvmlDeviceGetHandleByPciBusId: Not Found"));
}

}  // namespace
}  // namespace tallcache::gpu
