// How peers choose: the fastest way by measuring, vqsort's target without a change of this suite's, FFTW's
// wisdom.
#include <gtest/gtest.h>
#include <hwy/highway.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "common/error.hpp"
#include "common/measure/machine_kernels.hpp"
#include "cpu/peers/fastest.hpp"
#include "cpu/peers/fftw_wisdom.hpp"
#include "cpu/peers/vqsort_library.hpp"

namespace tallcache::cpu::peers {
namespace {

namespace fs = std::filesystem;

/// Ways whose clock is a list of seconds, the last of which repeats. `runs` names each run.
class Clocks {
 public:
  void add(const std::string& name, std::vector<double> seconds) {
    ways.push_back({name, [this, name, seconds, i = std::size_t{0}]() mutable {
                      runs += name;
                      const double next = seconds[std::min(i++, seconds.size() - 1)];
                      if (next < 0) throw Error(name + " cannot");
                      return next;
                    }});
  }
  std::vector<Way> ways;
  std::string runs;
};

TEST(Fastest, IsNotTheWidest) {
  Clocks clocks;
  clocks.add("A", {7.5});
  clocks.add("B", {1});
  clocks.add("C", {3});
  const Fastest found = fastest(clocks.ways);
  EXPECT_EQ(found.index, 1u);
  EXPECT_EQ(found.text, "B (A takes 7.50x, C 3.00x)");
  EXPECT_EQ(clocks.runs, "ABCABC");  // the others are far behind
}

TEST(Fastest, IsTheLeastMedianOfThoseThatAreClose) {
  Clocks clocks;
  clocks.add("A", {1, 1, 1.2, 0.1, 1.2, 1.2, 1.2});
  clocks.add("B", {9, 1.1, 1.1, 1.1, 9, 1.1, 9});  // a slow first run, and spikes later
  const Fastest found = fastest(clocks.ways);
  EXPECT_EQ(found.index, 1u);
  EXPECT_EQ(found.text, "B (A takes 1.09x)");
  EXPECT_EQ(clocks.runs, "ABABABABABABAB");
}

TEST(Fastest, OfEqualOnesIsTheFirst) {
  Clocks clocks;
  clocks.add("A", {1});
  clocks.add("B", {1});
  EXPECT_EQ(fastest(clocks.ways).index, 0u);
}

TEST(Fastest, LeavesOutWhatCannotRun) {
  Clocks clocks;
  clocks.add("A", {-1});
  clocks.add("B", {1});
  clocks.add("C", {3});
  const Fastest found = fastest(clocks.ways);
  EXPECT_EQ(found.index, 1u);
  EXPECT_EQ(found.text, "B (A cannot run, C takes 3.00x)");
  EXPECT_EQ(clocks.runs, "ABCBC");
  Clocks none;
  none.add("A", {-1});
  none.add("B", {-1});
  EXPECT_THROW(fastest(none.ways), Error);
}

TEST(Fastest, DoesNotRunTheOnlyOne) {
  Clocks clocks;
  clocks.add("A", {-1});
  EXPECT_EQ(fastest(clocks.ways).text, "A");
  EXPECT_EQ(clocks.runs, "");
}

template <class Key>
class VqsortTest : public testing::Test {};
using KeyTypes = testing::Types<std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(VqsortTest, KeyTypes);

template <class Key>
std::vector<Key> random_keys(std::size_t n) {
  std::mt19937_64 random(7);
  std::vector<Key> keys(n);
  for (Key& key : keys) key = static_cast<Key>(random());
  return keys;
}

// What a kernel of this suite runs as, while another thread has vqsort measure its targets and sorts by each.
TYPED_TEST(VqsortTest, LeavesTheTargetOfTheSuiteAlone) {
  // In a build of one target no kernel asks for it.
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  const std::string before = simd_target().name;
  const auto index = hwy::GetChosenTarget().GetIndex();
  const std::int64_t supported = hwy::SupportedTargets();
  std::atomic<bool> stop = false, changed = false;
  std::atomic<int> looks = 0;
  std::thread watcher([&] {
    for (; !stop || looks == 0; ++looks, std::this_thread::yield())
      if (simd_target().name != before || hwy::GetChosenTarget().GetIndex() != index ||
          hwy::SupportedTargets() != supported)
        changed = true;
  });
  Vqsort<TypeParam> vqsort;
  const auto keys = random_keys<TypeParam>(20001);
  auto sorted = keys;
  std::ranges::sort(sorted);
  for (const std::int64_t target : vqsort.targets()) {
    vqsort.use(target);
    for (const std::size_t n : {0, 1, 2, 3, 1000, 20001}) {
      std::vector<TypeParam> some(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(n)),
          expected = some;
      std::ranges::sort(expected);
      vqsort.sort(some.data(), static_cast<Index>(n));
      EXPECT_EQ(some, expected) << hwy::TargetName(target) << ", " << n << " keys";
    }
  }
  auto by_peer = keys;
  vqsort_keys(by_peer.data(), static_cast<Index>(by_peer.size()));
  EXPECT_EQ(by_peer, sorted);
  stop = true;
  watcher.join();
  EXPECT_FALSE(changed) << "vqsort's target is the suite's";
  EXPECT_EQ(simd_target().name, before);
}

// A copy has a target of its own: the two stay apart in both directions.
TYPED_TEST(VqsortTest, KeepsItsTargetWhenTheSuiteChangesItsOwn) {
  Vqsort<TypeParam> vqsort;
  if (!vqsort.reason().empty()) GTEST_SKIP() << vqsort.reason();
  const std::string chosen = vqsort_target<TypeParam>();
  EXPECT_TRUE(std::ranges::any_of(vqsort.targets(), [&](std::int64_t target) {
    return chosen.starts_with(hwy::TargetName(target));
  })) << chosen;
  hwy::SetSupportedTargetsForTest(HWY_STATIC_TARGET);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  const Vqsort<TypeParam> later;
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  EXPECT_EQ(later.targets(), vqsort.targets());
  EXPECT_EQ(vqsort_target<TypeParam>(), chosen);
}

/// An empty folder as the user's cache.
class WisdomTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "wisdom.XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder = name;
    setenv("XDG_CACHE_HOME", folder.c_str(), 1);
  }
  void TearDown() override {
    unsetenv("XDG_CACHE_HOME");
    fs::remove_all(folder);
  }
  fs::path folder;
};

// A library's wisdom: lines, of which each file that is imported adds its own. A file of other words is
// refused.
std::string known;
int import_lines(const char* path) {
  std::ifstream file(path);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  if (!text.starts_with("plan")) return 0;
  if (known.find(text) == known.npos) known += text;
  return 1;
}
int export_lines(const char* path) {
  std::ofstream file(path);
  file << known;
  return static_cast<bool>(file.flush());
}

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  return {(std::istreambuf_iterator<char>(file)), {}};
}

TEST_F(WisdomTest, IsKeptForEachBuildInTheUsersCache) {
  const std::string file = wisdom_file("fftw-3.3.10-sse2", "gcc");
  EXPECT_TRUE(file.starts_with(folder.string() + "/tallcache/fftw-3.3.10-sse2-")) << file;
  EXPECT_EQ(wisdom_file("fftw-3.3.10-sse2", "gcc"), file);
  EXPECT_NE(wisdom_file("fftw-3.3.10-sse2", "clang"), file);
  EXPECT_NE(wisdom_file("fftw-3.3.10-avx", "gcc"), file);
  setenv("XDG_CACHE_HOME", "relative", 1);  // which the standard has ignored
  setenv("HOME", "/home/of/a/test", 1);
  EXPECT_EQ(cache_folder(), "/home/of/a/test/.cache/tallcache");
  unsetenv("HOME");
  EXPECT_EQ(cache_folder(), "");
  EXPECT_EQ(wisdom_file("fftw-3.3.10-sse2", "gcc"), "");
}

TEST_F(WisdomTest, GoesToTheFileAndComesBack) {
  const std::string file = wisdom_file("fftw", "gcc");
  const Wisdom wisdom(file, import_lines, export_lines);
  known = "";
  wisdom.load();  // no file yet
  EXPECT_EQ(known, "");
  known = "plan 1\n";
  wisdom.save();
  known = "plan 2\n";  // another process, which has not read it
  wisdom.save();
  known = "";
  wisdom.load();
  EXPECT_EQ(known, "plan 2\nplan 1\n");
  // Nothing beside it, such as a half-written file.
  EXPECT_EQ(std::distance(fs::directory_iterator(fs::path(file).parent_path()), {}), 1);
}

TEST_F(WisdomTest, StaysWholeWhenItCannotBeWritten) {
  const std::string file = wisdom_file("fftw", "gcc");
  known = "plan 1\n";
  Wisdom(file, import_lines, export_lines).save();
  Wisdom(file, import_lines, [](const char* path) {
    std::ofstream(path) << "pl";
    return 0;
  }).save();
  EXPECT_EQ(text_of(file), "plan 1\n");
  EXPECT_EQ(std::distance(fs::directory_iterator(fs::path(file).parent_path()), {}), 1);
  std::ofstream(folder / "file") << "no folder";
  setenv("XDG_CACHE_HOME", (folder / "file").c_str(), 1);
  Wisdom(wisdom_file("fftw", "gcc"), import_lines, export_lines).save();  // and no complaint
}

TEST_F(WisdomTest, OfACorruptFileIsIgnoredInOneLine) {
  const std::string file = wisdom_file("fftw", "gcc");
  fs::create_directories(fs::path(file).parent_path());
  std::ofstream(file) << "garbage";
  known = "";
  testing::internal::CaptureStderr();
  Wisdom(file, import_lines, export_lines).load();
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::ranges::count(said, '\n'), 1) << said;
  EXPECT_NE(said.find(file + " holds no wisdom of this FFTW"), said.npos) << said;
  EXPECT_EQ(known, "");
}

}  // namespace
}  // namespace tallcache::cpu::peers
