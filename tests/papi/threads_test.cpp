// Counting on the threads of an arena: what each of them counts is added up.
#include <gtest/gtest.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <ctime>
#include <optional>
#include <string>
#include <thread>

#include "tests/floating_point_modes.hpp"
#include "tests/on_each_thread.hpp"
#include "tests/papi/counters.hpp"

namespace tallcache::test {
namespace {

class Threads : public testing::Test {
 protected:
  static constexpr int threads = 4;
  tbb::global_control control{tbb::global_control::max_allowed_parallelism, threads};
  tbb::task_arena arena{threads};
};

TEST_F(Threads, SimulatedEventsAreCountedOnceForAll) {
  counters();
  bool all = false;
  const auto counts = Counting({l1_misses, faults, "sde:::tallcache::ACCESSES"}).run(arena, [&] {
    all = on_each_thread(threads, [](int i) {
      for (int k = 0; k < 1000; ++k) counters().add(Simulated::l1_misses, i + 1);
    });
  });
  EXPECT_TRUE(all);
  EXPECT_EQ(counts[0].value, 1000 * (1 + 2 + 3 + 4)) << counts[0].reason;
  EXPECT_EQ(counts[2].value, 0) << counts[2].reason;
}

TEST_F(Threads, WorkInTheCallersFloatingPointMode) {
  counters();
  arena.initialize();
  const InMode in({FE_UPWARD});
  bool all = false;
  std::atomic<int> strayed{0};
  Counting({l1_misses}).run(arena, [&] {
    all = on_each_thread(threads, [&](int) { strayed += current_mode().rounding != FE_UPWARD; });
  });
  EXPECT_TRUE(all);
  EXPECT_EQ(strayed, 0);
}

TEST_F(Threads, CountsOfAllAreAddedUp) {
  if (const std::string reason = no_faults(); !reason.empty()) GTEST_SKIP() << reason;
  constexpr int pages = 2000;
  bool all = false;
  const auto work = [&] { all = on_each_thread(threads, [](int i) { fault(pages * (i + 1)); }); };
  const Count together = Counting({faults}).run(arena, work).front();
  EXPECT_TRUE(all);
  EXPECT_EQ(together.reason, "");
  expect_faults(together.value, pages * (1 + 2 + 3 + 4), threads);

  // The calling thread alone sees its own task only (task 0, or another that it took: at least one,
  // never all).
  std::optional<long long> alone;
  arena.execute([&] { alone = Counting({faults}).run(work).front().value; });
  EXPECT_TRUE(all);
  EXPECT_GE(alone, pages);
  if (!sanitized) {
    EXPECT_LT(alone, pages * (1 + 2 + 3 + 4));
  }
}

// Pages that one thread has mapped and all touch: each page is of the thread that touches it first.
TEST_F(Threads, FaultsOfOneAllocationAreCountedWhereTheyHappen) {
  if (const std::string reason = no_faults(); !reason.empty()) GTEST_SKIP() << reason;
  constexpr std::size_t pages = 4000;
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* memory = mmap(nullptr, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  madvise(memory, pages * page, MADV_NOHUGEPAGE);
  bool all = false;
  const auto touch = [&] {
    all = on_each_thread(threads, [&](int thread) {
      for (std::size_t i = static_cast<std::size_t>(thread); i < pages; i += threads)
        static_cast<volatile char*>(memory)[i * page] = 1;
    });
  };
  const Counting counting({faults, "perf::MINOR-FAULTS", "perf::MAJOR-FAULTS"});
  EXPECT_EQ(counting.passes(), 1);
  const auto counts = counting.run(arena, touch);
  EXPECT_TRUE(all);
  expect_faults(counts[0].value, pages, threads);
  expect_faults(counts[1].value, pages, threads);
  EXPECT_EQ(counts[2].value, 0);                  // nothing was read from a disk
  const auto again = counting.run(arena, touch);  // all there: touched anew they do not fault
  munmap(memory, pages * page);
  ASSERT_TRUE(again[0].value);
  if (!sanitized) {
    EXPECT_LT(*again[0].value, 64 * threads);
  }
}

TEST_F(Threads, ClocksOfAllAreAddedUp) {
  if (const std::string reason = no_faults(); !reason.empty()) GTEST_SKIP() << reason;
  std::atomic<long long> spent = 0;
  const auto clock = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec * 1'000'000'000LL + time.tv_nsec;
  };
  bool all = false;
  const auto counts = Counting({"perf::TASK-CLOCK", "perf::CPU-CLOCK"}).run(arena, [&] {
    all = on_each_thread(threads, [&](int) {
      const long long begin = clock();
      while (clock() - begin < 20'000'000) {
      }
      spent += clock() - begin;
    });
  });
  EXPECT_TRUE(all);
  for (const Count& count : counts) {
    ASSERT_TRUE(count.value) << count.reason;
    EXPECT_GE(*count.value, spent * 9 / 10) << count.event;  // nanoseconds
  }
}

TEST_F(Threads, ThatComeLateAndLeaveEarlyAreCounted) {
  if (const std::string reason = no_faults(); !reason.empty()) GTEST_SKIP() << reason;
  constexpr int pages = 1000;
  bool all = true;
  const Count count = Counting({faults})
                          .run(arena,
                               [&] {
                                 for (int round = 0; round < 3; ++round) {
                                   fault(pages);  // alone: the others have not come, or have left
                                   std::this_thread::sleep_for(std::chrono::milliseconds(50));
                                   all &= on_each_thread(threads, [&](int) { fault(pages); });
                                 }
                               })
                          .front();
  EXPECT_TRUE(all);
  EXPECT_EQ(count.reason, "");
  expect_faults(count.value, 3 * (threads + 1) * pages, 3 * threads);
}

TEST_F(Threads, CallerThatIsInTheArenaAlreadyIsCounted) {
  if (const std::string reason = no_faults(); !reason.empty()) GTEST_SKIP() << reason;
  Count count;
  arena.execute([&] { count = Counting({faults}).run(arena, [] { fault(1000); }).front(); });
  EXPECT_EQ(count.reason, "");
  expect_faults(count.value, 1000);
}

}  // namespace
}  // namespace tallcache::test
