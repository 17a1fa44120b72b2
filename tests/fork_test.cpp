// The fork policies: every iteration runs once, in the elision's order where one thread runs; arenas, threads
// and pinning.
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include "common/fork/one_tbb.hpp"
#include "tests/support.hpp"

namespace tallcache::test {
namespace {

constexpr Index sizes[] = {0, 1, 2, 3, 7, 8, 9, 31, 64, 100, 257};

// The number of times that `loop(begin, end, step, body)` calls body(i), at index i - begin.
template <class Loop>
std::vector<int> calls(Loop&& loop, Index begin, Index end, Index step) {
  std::vector<std::atomic<int>> seen(static_cast<std::size_t>(std::max<Index>(0, end - begin)));
  loop(begin, end, step, [&](Index i) { ++seen.at(static_cast<std::size_t>(i - begin)); });
  return {seen.begin(), seen.end()};
}

std::vector<int> expected_calls(Index begin, Index end, Index step) {
  std::vector<int> seen(static_cast<std::size_t>(std::max<Index>(0, end - begin)), 0);
  for (Index i = begin; i < end; i += step) seen[static_cast<std::size_t>(i - begin)] = 1;
  return seen;
}

template <class Loop>
void runs_every_iteration_once(Loop&& loop) {
  for (Index begin : {Index{0}, Index{5}, Index{-4}})
    for (Index size : sizes)
      for (Index step : {1, 2, 3, 64, 1000})
        ASSERT_EQ(calls(loop, begin, begin + size, step), expected_calls(begin, begin + size, step))
            << "from " << begin << " to " << begin + size << " by " << step;
}

TEST(Loop, OfTheSerialElision) {
  runs_every_iteration_once([](auto... args) { Serial{}.loop(args...); });
  EXPECT_EQ(calls([](auto... args) { Serial{}.loop(args...); }, 5, 3, 1), std::vector<int>{});
}

TEST(Loop, ByHalvesDownToAnyGrain) {
  for (Index grain : {1, 2, 3, 8, 1000}) {
    Index widest = 0, forks = 0;
    runs_every_iteration_once([&](Index begin, Index end, Index step, auto body) {
      const auto fork = [&forks](auto&& f, auto&& g) { ++forks, f(), g(); };
      forks = 0;
      loop_by_halves(fork, begin, end, step, grain, body);
      widest = std::max(widest, iterations(begin, end, step) - forks * grain);
      // There is one leaf more than there are forks, and each holds at least half of the grain.
      EXPECT_GE(iterations(begin, end, step), forks ? (forks + 1) * ((grain + 1) / 2) : 0);
    });
    EXPECT_LE(widest, grain) << "a leaf above the grain";
  }
}

TEST(Loop, OfOneTbb) {
  for (int threads : {1, std::min(2, usable_threads())})
    in_arena(threads, [threads] {
      runs_every_iteration_once([threads](auto... args) { OneTbb{threads}.loop(args...); });
    });
}

TEST(Iterations, AreCounted) {
  EXPECT_EQ(iterations(0, 0, 1), 0);
  EXPECT_EQ(iterations(3, 1, 1), 0);
  EXPECT_EQ(iterations(0, 10, 3), 4);
  EXPECT_EQ(iterations(-5, 4, 3), 3);
  EXPECT_EQ(iterations(0, 1, 100), 1);
}

TEST(Blocks, CoverAndDifferByOne) {
  for (Index size : sizes)
    for (Index blocks : {1, 2, 3, 7, 64, 300}) {
      EXPECT_EQ(block_begin(size, blocks, 0), 0);
      EXPECT_EQ(block_begin(size, blocks, blocks), size);
      for (Index b = 0; b < blocks; ++b) {
        const Index length = block_begin(size, blocks, b + 1) - block_begin(size, blocks, b);
        EXPECT_GE(length, size / blocks);
        EXPECT_LE(length, size / blocks + 1);
      }
    }
}

// One thread: the first branch, then the second, as in the program. Two: the first stays with the forking
// thread, so that a thief takes the continuation.
TEST(OneTbbFork, GoesInProgramOrder) {
  std::vector<int> order;
  const OneTbb fork{1};
  in_arena(1, [&] {
    fork([&] { fork([&] { order.push_back(1); }, [&] { order.push_back(2); }); },
         [&] { fork([&] { order.push_back(3); }, [&] { order.push_back(4); }); });
  });
  EXPECT_EQ(order, (std::vector{1, 2, 3, 4}));
  in_arena(std::min(2, usable_threads()), [] {
    for (int i = 0; i < 100; ++i) {
      const std::thread::id caller = std::this_thread::get_id();
      std::thread::id first;
      OneTbb{2}([&] { first = std::this_thread::get_id(); }, [] {});
      EXPECT_EQ(first, caller);
    }
  });
}

TEST(OneTbbFork, PassesExceptionsOn) {
  const auto threads = std::min(2, usable_threads());
  for (int branch : {0, 1})
    EXPECT_THROW(in_arena(threads,
                          [&] {
                            OneTbb{threads}(
                                [&] {
                                  if (branch == 0) throw std::runtime_error("first");
                                },
                                [&] {
                                  if (branch == 1) throw std::runtime_error("second");
                                });
                          }),
                 std::runtime_error);
}

TEST(Arena, HasItsThreads) {
  for (int threads = 1; threads <= usable_threads(); ++threads) {
    EXPECT_EQ(&arena_of(threads), &arena_of(threads));
    EXPECT_EQ(arena_of(threads).max_concurrency(), threads);
    in_arena(threads, [&] {
      EXPECT_LT(tbb::this_task_arena::current_thread_index(), threads);
      EXPECT_EQ(tbb::this_task_arena::max_concurrency(), threads);
    });
  }
}

TEST(Arena, RefusesThreadsThatTheMachineDoesNotHave) {
  const int usable = usable_threads();
  for (int threads : {0, -1, usable + 1, 1 << 20}) {
    expect_error([&] { require_threads(threads); }, "threads: " + std::to_string(threads) + " asked");
    expect_error([&] { arena_of(threads); }, "1 to " + std::to_string(usable));
    expect_error([&] { in_arena(threads, [] { ADD_FAILURE() << "ran"; }); }, "asked");
  }
  require_threads(1);
  require_threads(usable);
}

cpu_set_t affinity() {
  cpu_set_t set;
  EXPECT_EQ(sched_getaffinity(0, sizeof set, &set), 0);
  return set;
}

class PinningTest : public testing::Test {
 protected:
  ~PinningTest() override {
    pin_threads(true);
    sched_setaffinity(0, sizeof whole, &whole);
  }
  const cpu_set_t whole = (usable_threads(), affinity());
};

TEST_F(PinningTest, HoldsInsideAndIsUndoneOutside) {
  for (bool pin : {true, false, true}) {
    pin_threads(pin);
    in_arena(1, [&] {
      const cpu_set_t inside = affinity();
      EXPECT_EQ(CPU_COUNT(&inside), pin ? 1 : CPU_COUNT(&whole));
    });
    const cpu_set_t after = affinity();
    EXPECT_TRUE(CPU_EQUAL(&after, &whole));
  }
}

cpu_set_t last_of(const cpu_set_t& set) {
  cpu_set_t narrow;
  CPU_ZERO(&narrow);
  for (int processor = CPU_SETSIZE - 1; CPU_COUNT(&narrow) == 0; --processor)
    if (CPU_ISSET(processor, &set)) CPU_SET(processor, &narrow);
  return narrow;
}

TEST_F(PinningTest, GivesTheCallerBackWhatItHad) {
  if (CPU_COUNT(&whole) < 2) GTEST_SKIP() << "one processor: there is nothing narrower";
  // The last processor alone: not the one that the caller's slot is pinned to. A thread of its own, as the
  // main thread's processors are those of all.
  std::thread([&] {
    const cpu_set_t narrow = last_of(whole);
    ASSERT_EQ(sched_setaffinity(0, sizeof narrow, &narrow), 0);
    in_arena(1, [&] {
      in_arena(2, [] {});
      const cpu_set_t inside = affinity();
      EXPECT_FALSE(CPU_EQUAL(&inside, &narrow)) << "slot 0 is another processor";
      pin_threads(false);
    });
    const cpu_set_t after = affinity();
    EXPECT_TRUE(CPU_EQUAL(&after, &narrow)) << "pinned on entering, not on leaving";
  }).join();
}

// As `taskset -a` does to a running program: its later programs stay within.
TEST_F(PinningTest, FollowsAMaskThatTheHostNarrows) {
  if (CPU_COUNT(&whole) < 2) GTEST_SKIP() << "one processor: there is nothing narrower";
  const cpu_set_t narrow = last_of(whole);
  for (bool pin : {true, false}) {
    pin_threads(pin);
    in_arena(2, [] {});
    EXPECT_EQ(usable_threads(), CPU_COUNT(&whole));
    in_arena(2, [&] { sched_setaffinity(0, sizeof narrow, &narrow); });
    cpu_set_t now = affinity();
    EXPECT_TRUE(CPU_EQUAL(&now, &narrow)) << "what the host has set inside stays, pinned or not";
    EXPECT_EQ(usable_threads(), 1);
    expect_error([] { in_arena(2, [] {}); }, "1 to 1");
    in_arena(1, [&] {
      now = affinity();
      EXPECT_TRUE(CPU_EQUAL(&now, &narrow));
    });
    ASSERT_EQ(sched_setaffinity(0, sizeof whole, &whole), 0);
    EXPECT_EQ(usable_threads(), CPU_COUNT(&whole));
  }
}

/// A worker of the arena, and what it may use.
struct Worker {
  pid_t thread = 0;
  cpu_set_t processors{};
};

Worker run_by_worker() {
  std::atomic<bool> done{false};
  Worker found;
  arena_of(2).enqueue([&] {
    found = {gettid(), affinity()};
    done = true;
  });
  while (!done) std::this_thread::yield();
  return found;
}

/// One that has entered the arena since this call. A worker that had entered before may run a first task. It
/// counts as idle from before that until it has left: how long it looks for another one depends on what else
/// the machine does. The arena has room for one.
Worker entering_worker() {
  run_by_worker();
  while (detail::arena_state(2).idle > 0) std::this_thread::yield();
  return run_by_worker();
}

TEST_F(PinningTest, AWorkerKeepsWhatTheHostGaveIt) {
  if (CPU_COUNT(&whole) < 2) GTEST_SKIP() << "needs a worker";
  for (bool pin : {true, false}) {
    pin_threads(pin);
    const Worker worker = entering_worker();
    EXPECT_EQ(CPU_COUNT(&worker.processors), pin ? 1 : CPU_COUNT(&whole)) << "a pinned one is released";
  }
  const cpu_set_t narrow = last_of(whole);
  const Worker worker = entering_worker();
  ASSERT_EQ(sched_setaffinity(worker.thread, sizeof narrow, &narrow), 0);
  const Worker next = entering_worker();
  if (next.thread == worker.thread)
    EXPECT_TRUE(CPU_EQUAL(&next.processors, &narrow));
  else
    EXPECT_EQ(CPU_COUNT(&next.processors), CPU_COUNT(&whole));
  cpu_set_t now;
  ASSERT_EQ(sched_getaffinity(worker.thread, sizeof now, &now), 0);
  EXPECT_TRUE(CPU_EQUAL(&now, &narrow)) << "it is not widened";
}

}  // namespace
}  // namespace tallcache::test
