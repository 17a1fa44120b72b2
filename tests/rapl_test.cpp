// The energy of the host's processors, read from a made-up /sys.
#include "common/measure/rapl.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace tallcache {
namespace {

class RaplTest : public testing::Test {
 protected:
  RaplTest() { std::filesystem::remove_all(root_); }
  ~RaplTest() override { std::filesystem::remove_all(root_); }

  void put(const std::string& zone, const std::string& name, std::uint64_t range,
           std::uint64_t energy) const {
    const std::filesystem::path folder = root_ / "sys/class/powercap" / zone;
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "name") << name << '\n';
    std::ofstream(folder / "max_energy_range_uj") << range << '\n';
    std::ofstream(folder / "energy_uj") << energy << '\n';
  }

  const std::filesystem::path root_ =
      std::filesystem::path(testing::TempDir()) / ("tallcache_rapl_" + std::to_string(getpid()));
};

TEST_F(RaplTest, AddsPackagesAndMemoryAndNothingTwice) {
  const auto put_all = [this](std::uint64_t more) {
    put("intel-rapl:0", "package-0", 262'143'328'850, 1'000'000 + more);
    put("intel-rapl:1", "package-1", 262'143'328'850, 7'000'000 + 2 * more);
    put("intel-rapl:0:0", "core", 262'143'328'850, 500'000 + 100 * more);
    put("intel-rapl:0:1", "dram", 65'712'999'613, 3'000'000 + 4 * more);
    put("intel-rapl:2", "psys", 262'143'328'850, 9'000'000 + 1000 * more);
    put("intel-rapl", "intel-rapl", 1, 1);
  };
  put_all(0);
  Rapl rapl(root_.string());
  EXPECT_EQ(rapl.joules(), Figure<double>(0.0));
  put_all(500'000);
  const Figure<double> joules = rapl.joules();
  ASSERT_TRUE(joules) << joules.absent;
  EXPECT_DOUBLE_EQ(*joules, 0.5 * (1 + 2 + 4));
  EXPECT_DOUBLE_EQ(*rapl.joules(), *joules);
}

TEST_F(RaplTest, ACounterThatBeginsAnewGoesOn) {
  put("intel-rapl:0", "package-0", 10'000'000, 9'000'000);
  Rapl rapl(root_.string());
  rapl.joules();
  put("intel-rapl:0", "package-0", 10'000'000, 2'000'000);
  EXPECT_DOUBLE_EQ(*rapl.joules(), 3);
}

TEST_F(RaplTest, SaysWhyThereAreNone) {
  EXPECT_EQ(Rapl(root_.string()).joules(),
            Figure<double>::none("/sys/class/powercap tells no energy (RAPL)"));
  put("intel-rapl:0", "package-0", 10'000'000, 9'000'000);
  std::filesystem::remove(root_ / "sys/class/powercap/intel-rapl:0/energy_uj");
  EXPECT_EQ(Rapl(root_.string()).joules(), Figure<double>::none("RAPL's counters can be read by root alone"));
}

}  // namespace
}  // namespace tallcache
