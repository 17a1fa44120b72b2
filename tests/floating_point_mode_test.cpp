// A parallel program runs in its caller's floating-point mode on every thread, whatever mode the pool was
// made in, and leaves the caller's as it was. Each test is a process of its own under CTest, so that its
// first call makes the pool.
#include <gtest/gtest.h>

#include <atomic>
#include <cfenv>
#include <chrono>
#include <functional>
#include <stdexcept>
#include <thread>
#include <tuple>
#include <vector>

#include "common/fork/one_tbb.hpp"
#include "common/fork/parallel.hpp"
#include "common/fork/work_span.hpp"
#include "common/in_parts.hpp"
#include "tests/floating_point_modes.hpp"
#include "tests/heartbeat_trees.hpp"
#include "tests/support.hpp"

namespace tallcache::test {
namespace {

/// Records the modes in which two branches run, each on a thread of its own: neither ends before both have
/// begun.
class TwoThreads {
 public:
  template <class Fork>
  void run(Fork& fork) {
    fork([this] { branch(0); }, [this] { branch(1); });
  }
  bool together() const { return threads_[0] != threads_[1]; }
  const FloatingPointMode& mode(int branch) const { return modes_[branch]; }

 private:
  void branch(int b) {
    modes_[b] = current_mode();
    threads_[b] = std::this_thread::get_id();
    ++begun_;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (begun_ < 2 && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
  }

  std::atomic<int> begun_{0};
  FloatingPointMode modes_[2];
  std::thread::id threads_[2];
};

/// Both branches of a fork on two threads run in `mode`, which is the caller's before and after.
void runs_in(const FloatingPointMode& mode, const char* when) {
  ASSERT_EQ(current_mode(), mode) << when;
  TwoThreads two;
  run_parallel(2, [&](auto& fork) { two.run(fork); });
  EXPECT_TRUE(two.together()) << when << ": no second thread came";
  EXPECT_EQ(two.mode(0), mode) << when << ", on the caller";
  EXPECT_EQ(two.mode(1), mode) << when << ", on another thread";
  EXPECT_EQ(current_mode(), mode) << when << ", afterwards";
}

class FloatingPoint : public testing::TestWithParam<std::tuple<ForkPolicy, FloatingPointMode>> {
 protected:
  void SetUp() override {
    if (usable_threads() < 2) GTEST_SKIP() << "needs 2 processors";
    set_fork_policy(std::get<0>(GetParam()));
  }
  void TearDown() override {
    set_fork_policy(default_fork_policy);
    EXPECT_EQ(current_mode(), to_nearest);
  }

  const FloatingPointMode mode = std::get<1>(GetParam());
  const Impatience promoting;
};

TEST_P(FloatingPoint, OfTheFirstCallDoesNotStay) {
  {
    const InMode in(mode);
    runs_in(mode, "in the first call");
  }
  runs_in(to_nearest, "after a first call in another mode");
}

TEST_P(FloatingPoint, IsTheCallersOfEachCall) {
  runs_in(to_nearest, "in the first call");
  for (const FloatingPointMode& later : {mode, odd_modes[0], odd_modes[3], mode}) {
    const InMode in(later);
    runs_in(later, "set after the first call");
  }
  runs_in(to_nearest, "back again");
}

// A task of a task: what it promotes has its mode from it.
TEST_P(FloatingPoint, OfTasksOfTasks) {
  const InMode in(mode);
  std::atomic<int> others{0}, strayed{0};
  const std::function<void(int, std::thread::id)> leaf = [&](int, std::thread::id caller) {
    others += std::this_thread::get_id() != caller;
    strayed += current_mode() != mode;
  };
  const auto tree = [&](auto& fork, auto&& self, int height, std::thread::id caller) -> void {
    leaf(height, caller);
    if (height == 0) return;
    fork([&] { self(fork, self, height - 1, caller); }, [&] { self(fork, self, height - 1, caller); });
    fork.loop(0, 3, 1, [&](Index) { leaf(height, caller); });
    leaf(height, caller);
  };
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (others < 100 && std::chrono::steady_clock::now() < deadline)
    run_parallel(2, [&](auto& fork) { tree(fork, tree, 8, std::this_thread::get_id()); });
  EXPECT_GE(others, 100) << "no other thread took part";
  EXPECT_EQ(strayed, 0);
  EXPECT_EQ(current_mode(), mode);
}

TEST_P(FloatingPoint, InNestedArenas) {
  runs_in(to_nearest, "in the first call");
  const InMode in(mode);
  for (int outer : {1, 2})
    in_arena(outer, [&] {
      EXPECT_EQ(current_mode(), mode);
      for (int inner : {1, 2})
        in_arena(inner, [&] { EXPECT_EQ(current_mode(), mode) << inner << " threads in " << outer; });
      {
        const InMode nearest(to_nearest);
        in_arena(1, [&] { EXPECT_EQ(current_mode(), to_nearest); });
      }
      EXPECT_EQ(current_mode(), mode);
      if (outer > 1) runs_in(mode, "inside an arena");
    });
  EXPECT_EQ(current_mode(), mode);
}

TEST_P(FloatingPoint, IsPutBackOnAnException) {
  runs_in(to_nearest, "in the first call");
  const InMode in(mode);
  for (int branch : {0, 1})
    for (int round = 0; round < 20; ++round) {
      EXPECT_THROW(run_parallel(2,
                                [&](auto& fork) {
                                  const auto throws = [&](int b) {
                                    if (b == branch) throw std::runtime_error("branch");
                                  };
                                  fork([&] { throws(0); }, [&] { throws(1); });
                                }),
                   std::runtime_error);
      EXPECT_EQ(current_mode(), mode);
      EXPECT_THROW(in_arena(2, [] { throw std::runtime_error("body"); }), std::runtime_error);
      EXPECT_EQ(current_mode(), mode);
    }
  runs_in(mode, "after exceptions");
}

TEST_P(FloatingPoint, LeavesRaisedExceptions) {
  runs_in(to_nearest, "in the first call");
  const InMode in(mode);
  for (int raised : {0, FE_DIVBYZERO, FE_OVERFLOW | FE_INVALID}) {
    std::feclearexcept(FE_ALL_EXCEPT);
    std::feraiseexcept(raised);
    run_parallel(2, [&](auto& fork) { TwoThreads().run(fork); });
    EXPECT_EQ(std::fetestexcept(FE_DIVBYZERO | FE_OVERFLOW | FE_INVALID), raised & ~FE_INEXACT);
  }
  std::feclearexcept(FE_ALL_EXCEPT);
}

// The caller traps divisions by zero from after its first one on. A flag of that one which came to the x87
// unit would trap at the unit's next operation.
TEST_P(FloatingPoint, LeavesTrapsAlone) {
  volatile double zero = 0;
  volatile long double x87 = 1;
  std::feclearexcept(FE_ALL_EXCEPT);
  zero = 1 / zero;
  feenableexcept(FE_DIVBYZERO);
  run_parallel(2, [&](auto& fork) { fork([] {}, [] {}); });
  x87 = x87 + 1;
  EXPECT_EQ(fegetexcept(), FE_DIVBYZERO);
  EXPECT_TRUE(std::fetestexcept(FE_DIVBYZERO));
  std::feclearexcept(FE_ALL_EXCEPT);
  fedisableexcept(FE_ALL_EXCEPT);
}

// More callers than the arena has threads, each in a mode of its own: they run each other's tasks and bodies.
TEST_P(FloatingPoint, OfSeveralCallersAtATime) {
  std::atomic<int> strayed{0}, changed{0};
  const auto caller = [&](const FloatingPointMode& own) {
    const InMode in(own);
    const auto tree = [&](auto& fork, auto&& self, int height) -> void {
      strayed += current_mode() != own;
      if (height > 0) fork([&] { self(fork, self, height - 1); }, [&] { self(fork, self, height - 1); });
    };
    for (int round = 0; round < 100; ++round) {
      run_parallel(2, [&](auto& fork) { tree(fork, tree, 6); });
      in_arena(2, [&] { strayed += current_mode() != own; });
      changed += current_mode() != own;
    }
  };
  {
    std::vector<std::jthread> callers;
    for (const FloatingPointMode& own : {mode, to_nearest, odd_modes[0], odd_modes[1], odd_modes[3]})
      callers.emplace_back(caller, own);
  }
  EXPECT_EQ(strayed, 0) << "branches ran in the mode of another caller";
  EXPECT_EQ(changed, 0) << "calls changed the mode of their caller";
}

TEST_P(FloatingPoint, OfLoopsInPartsAndOfTheProfiler) {
  runs_in(to_nearest, "in the first call");
  const InMode in(mode);
  std::atomic<int> strayed{0}, parts{0};
  const auto count = [&] { ++parts, strayed += current_mode() != mode; };
  in_parts(1000, 10, [&](Index, Index) { count(); });
  EXPECT_EQ(parts, 100);
  WorkSpan<UnitCost> profiler({.threads = 2});
  profiler.profile([&] { profiler.loop(0, 100, 1, [&](Index) { count(); }); });
  EXPECT_EQ(parts, 200);
  EXPECT_EQ(strayed, 0);
  EXPECT_EQ(current_mode(), mode);
}

TEST_P(FloatingPoint, OfAnArenaIsTheDefaultOne) {
  const InMode in(mode);
  arena_of(2).execute([] { EXPECT_EQ(current_mode(), to_nearest); });
  EXPECT_EQ(current_mode(), mode);
}

std::string name_of_instance(const testing::TestParamInfo<FloatingPoint::ParamType>& info) {
  return std::string(tallcache::name_of(std::get<0>(info.param))) + "_" + name_of(std::get<1>(info.param));
}
INSTANTIATE_TEST_SUITE_P(All, FloatingPoint,
                         testing::Combine(testing::ValuesIn(fork_policies), testing::ValuesIn(odd_modes)),
                         name_of_instance);

}  // namespace
}  // namespace tallcache::test
