// What this process may use: masks of real threads, and quotas read from made-up control groups.
#include "common/fork/processors.hpp"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <thread>

namespace tallcache::test {
namespace {

TEST(ProcessorSet, CountsAndNumbersItsProcessors) {
  EXPECT_TRUE(ProcessorSet().empty());
  for (int processor : {0, 1, 63, 64, 1023, 1024, 8191}) {
    const ProcessorSet one(processor);
    EXPECT_EQ(one.count(), 1);
    EXPECT_EQ(one.at(0), processor);
    EXPECT_NE(one, ProcessorSet(processor ^ 1));
  }
  ProcessorSet several(8191);
  for (const int processor : {64, 0, 64}) several.add(processor);
  EXPECT_EQ(several.count(), 3);
  EXPECT_EQ(several.at(1), 64);
  EXPECT_EQ(several.at(2), 8191);
  const ProcessorSet all = processors_of(0);
  for (int i = 0, before = -1; i < all.count(); ++i) {
    EXPECT_GT(all.at(i), before);
    before = all.at(i);
  }
}

class Masks : public testing::Test {
 protected:
  const ProcessorSet whole = processors_of(getpid());
  ~Masks() override { restrict_to(whole); }
  void SetUp() override {
    ASSERT_EQ(getpid(), gettid()) << "tests run on the main thread";
    if (whole.count() < 2) GTEST_SKIP() << "one processor";
  }
  ProcessorSet last() const { return ProcessorSet(whole.at(whole.count() - 1)); }
};

TEST_F(Masks, AreTheMainThreadsAndReadAnew) {
  EXPECT_EQ(usable_processors(), whole);
  std::thread([&] {
    ASSERT_TRUE(restrict_to(last()));
    EXPECT_EQ(usable_processors(), whole) << "not the caller's";
    EXPECT_EQ(usable_threads(), whole.count());
  }).join();
  ASSERT_TRUE(restrict_to(last()));
  EXPECT_EQ(usable_processors(), last());
  std::thread([&] { EXPECT_EQ(usable_threads(), 1); }).join();
  ASSERT_TRUE(restrict_to(whole));
  EXPECT_EQ(usable_threads(), whole.count());
}

TEST_F(Masks, OfAPinnedMainThreadAreThoseBefore) {
  const Pin outer = pin_to(whole.at(0));
  EXPECT_EQ(processors_of(0), ProcessorSet(whole.at(0)));
  EXPECT_EQ(usable_processors(), whole);
  const Pin inner = pin_to(whole.at(1));
  EXPECT_EQ(processors_of(0), ProcessorSet(whole.at(1)));
  std::thread([&] { EXPECT_EQ(usable_processors(), whole); }).join();
  undo(inner);
  EXPECT_EQ(processors_of(0), ProcessorSet(whole.at(0)));
  EXPECT_EQ(usable_processors(), whole);
  undo(outer);
  EXPECT_EQ(processors_of(0), whole);
  EXPECT_EQ(usable_processors(), whole);
}

TEST_F(Masks, ThatTheHostSetsMeanwhileStay) {
  const Pin outer = pin_to(whole.at(0));
  const Pin inner = pin_to(whole.at(0));
  ASSERT_TRUE(restrict_to(last()));  // as taskset does
  EXPECT_EQ(usable_processors(), last());
  undo(inner);
  EXPECT_EQ(processors_of(0), last());
  undo(outer);
  EXPECT_EQ(processors_of(0), last());
  EXPECT_EQ(usable_processors(), last());
}

TEST_F(Masks, OfAnotherThreadAreItsOwnToPin) {
  std::thread([&] {
    ASSERT_TRUE(restrict_to(last()));
    const Pin pin = pin_to(whole.at(0));
    EXPECT_EQ(processors_of(0), ProcessorSet(whole.at(0)));
    undo(pin);
    EXPECT_EQ(processors_of(0), last());
  }).join();
  EXPECT_EQ(usable_processors(), whole);
}

class Quota : public testing::Test {
 protected:
  Quota() {
    std::string pattern = testing::TempDir() + "/quotaXXXXXX";
    root_ = mkdtemp(pattern.data());
  }
  ~Quota() override { std::filesystem::remove_all(root_); }

  void write(const std::string& path, const std::string& text) const {
    const std::filesystem::path file = root_ + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  double found() const { return cpu_quota(root_); }

  std::string root_;
};

constexpr double none = std::numeric_limits<double>::infinity();
const std::string second_mount =
    "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n";

TEST_F(Quota, IsNoneWithoutGroups) { EXPECT_EQ(found(), none); }

TEST_F(Quota, OfTheSecondVersionIsTheLeastOnTheWayToTheRoot) {
  write("/proc/self/mountinfo", "22 1 0:20 / / rw - ext4 /dev/sda rw\n" + second_mount);
  write("/proc/self/cgroup", "0::/user.slice/job.scope\n");
  const std::string groups = "/sys/fs/cgroup";
  EXPECT_EQ(found(), none);
  write(groups + "/user.slice/job.scope/cpu.max", "max 100000\n");
  EXPECT_EQ(found(), none);
  write(groups + "/user.slice/cpu.max", "150000 100000\n");
  EXPECT_EQ(found(), 1.5) << "of a group above";
  write(groups + "/user.slice/job.scope/cpu.max", "400000 100000\n");
  EXPECT_EQ(found(), 1.5);
  write(groups + "/user.slice/job.scope/cpu.max", "25000 50000\n");
  EXPECT_EQ(found(), 0.5);
  write(groups + "/user.slice/other.scope/cpu.max", "1000 100000\n");
  EXPECT_EQ(found(), 0.5) << "another group's";
}

TEST_F(Quota, OfAContainersRootIsSeen) {
  write("/proc/self/mountinfo", second_mount);
  write("/sys/fs/cgroup/cpu.max", "200000 100000\n");
  for (const char* group : {"0::/\n", "0::/../../elsewhere\n"}) {
    write("/proc/self/cgroup", group);
    EXPECT_EQ(found(), 2) << group;
  }
}

TEST_F(Quota, OfTheFirstVersionIsInTwoFiles) {
  write("/proc/self/mountinfo",
        "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755\n"
        "33 31 0:30 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
        "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n");
  write("/proc/self/cgroup", "12:cpuset:/\n3:cpu,cpuacct:/batch/job7\n0::/\n");
  const std::string groups = "/sys/fs/cgroup/cpu,cpuacct";
  write(groups + "/batch/job7/cpu.cfs_period_us", "100000\n");
  write(groups + "/batch/job7/cpu.cfs_quota_us", "-1\n");
  EXPECT_EQ(found(), none);
  write(groups + "/batch/job7/cpu.cfs_quota_us", "300000\n");
  EXPECT_EQ(found(), 3);
  write(groups + "/batch/cpu.cfs_period_us", "50000\n");
  write(groups + "/batch/cpu.cfs_quota_us", "125000\n");
  EXPECT_EQ(found(), 2.5) << "of a group above";
}

// As a container of the first version without a name space of its own: the mount shows a part of the
// hierarchy.
TEST_F(Quota, IsFoundBelowTheGroupThatIsMounted) {
  write("/proc/self/mountinfo",
        "32 31 0:29 /docker/4f2a /sys/fs/cgroup/cpu ro master:11 - cgroup cgroup rw,cpu\n");
  write("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  write("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "200000\n");
  write("/sys/fs/cgroup/cpu/inner/cpu.cfs_period_us", "100000\n");
  write("/sys/fs/cgroup/cpu/inner/cpu.cfs_quota_us", "100000\n");
  for (const auto& [group, expected] :
       {std::pair("/docker/4f2a", 2.), {"/docker/4f2a/inner", 1.}, {"/docker/4f2ab", 2.}}) {
    write("/proc/self/cgroup", std::string("1:cpu:") + group + "\n");
    EXPECT_EQ(found(), expected) << group;
  }
}

TEST(WithinQuota, RoundsUpAndStaysInRange) {
  EXPECT_EQ(within_quota(none, 8), 8);
  EXPECT_EQ(within_quota(0.1, 8), 1);
  EXPECT_EQ(within_quota(1, 8), 1);
  EXPECT_EQ(within_quota(1.5, 8), 2);
  EXPECT_EQ(within_quota(20, 8), 8);
  EXPECT_EQ(within_quota(std::nan(""), 8), 8);
}

TEST(DefaultThreads, AreUsable) {
  EXPECT_GE(default_threads(), 1);
  EXPECT_LE(default_threads(), usable_threads());
}

}  // namespace
}  // namespace tallcache::test
