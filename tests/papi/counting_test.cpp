// Counting on the calling thread: passes instead of multiplexing, one set of an event at a time, and the
// kernel's software events.
#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/papi/counters.hpp"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
// What libpapi and libsde keep until the process ends.
extern "C" const char* __lsan_default_suppressions() { return "leak:libpapi.so\nleak:libsde.so\n"; }
#endif

namespace tallcache::test {
namespace {

TEST(Counting, NeverMultiplexes) {
  if (const std::string reason = no_faults(); !reason.empty()) GTEST_SKIP() << reason;
  counters();
  const Counting counting({faults, "perf::TASK-CLOCK", "perf::CPU-CLOCK", l1_misses, "perf::MAJOR-FAULTS",
                           "perf::MINOR-FAULTS", "perf::FAULTS"});
  EXPECT_EQ(counting.passes(), 2);
  for (const Counting::Pass& pass : counting.plan())
    for (const EventGroup& group : pass) EXPECT_LE(group.events.size(), 4u);
  int runs = 0;
  const auto counts = counting.run([&] {
    ++runs;
    fault(1000);
    counters().add(Simulated::l1_misses, 11);
  });
  EXPECT_EQ(runs, 2);
  for (const Count& count : counts) EXPECT_TRUE(count.value) << count.event << ": " << count.reason;
  EXPECT_EQ(counts[3].value, 11);  // of one pass, not of both
  EXPECT_GT(counts[1].value, 0);
  expect_faults(counts[0].value, 1000);  // both names of the same
  expect_faults(counts[5].value, 1000);
}

TEST(Counting, OneSetOfAnEventAtATime) {
  counters();
  EventSet first;
  with(first, l1_misses).start();
  EventSet second;
  with(second, l1_misses);
  EXPECT_NE(error_of([&] { second.start(); }).find("counted already"), std::string::npos);
  std::string elsewhere;
  std::thread([&] {
    EventSet third;
    with(third, l1_misses);
    elsewhere = error_of([&] { third.start(); });
  }).join();
  EXPECT_NE(elsewhere.find("counted already"), elsewhere.npos) << elsewhere;
  counters().add(Simulated::l1_misses, 4);
  EXPECT_EQ(first.stop(), std::vector<long long>{4});
  second.start();
  counters().add(Simulated::l1_misses, 2);
  EXPECT_EQ(second.stop(), std::vector<long long>{2});
}

TEST(Counting, StopsWhenTheWorkThrows) {
  counters();
  const Counting counting({l1_misses, faults});
  tbb::task_arena arena(2);
  EXPECT_THROW(counting.run([] { throw std::runtime_error("work"); }), std::runtime_error);
  EXPECT_THROW(counting.run(arena, [] { throw std::runtime_error("work"); }), std::runtime_error);
  EXPECT_EQ(counting.run(arena, [] { counters().add(Simulated::l1_misses, 9); }).front().value, 9);
}

// Sleeping gives the processor away. PAPI leaves the kernel out unless it is asked, and would read 0.
TEST(SoftwareEvents, InTheKernelAreCountedThereOrAbsent) {
  if (const std::string reason = no_faults(); !reason.empty()) GTEST_SKIP() << reason;
  constexpr int sleeps = 20;
  const auto counts = Counting({"perf::CONTEXT-SWITCHES", "perf::CONTEXT-SWITCHES:k=1"}).run([] {
    for (int i = 0; i < sleeps; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  });
  EXPECT_FALSE(counts[0].value);
  EXPECT_NE(counts[0].reason.find("perf::CONTEXT-SWITCHES:k=1 counts it"), std::string::npos);
  if (!counts[1].value) GTEST_SKIP() << "context switches: " << counts[1].reason;
  EXPECT_GE(*counts[1].value, sleeps);
}

}  // namespace
}  // namespace tallcache::test
