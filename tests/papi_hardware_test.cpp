// The hardware route of common/papi, on a processor that counts: the stand-in's.
#include <gtest/gtest.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <string>
#include <thread>

#include "common/error.hpp"
#include "common/papi/counting.hpp"
#include "common/papi/source.hpp"
#include "tests/on_each_thread.hpp"
#include "tests/papi_stand_in.hpp"

namespace tallcache {
namespace {

using stand_in::Processor;
using stand_in::StandInEvent;

constexpr char instructions[] = "PAPI_TOT_INS", cycles[] = "PAPI_TOT_CYC", l1_misses[] = "PAPI_L1_DCM",
               l2_misses[] = "PAPI_L2_DCM";

void expect_absent(const Count& count, std::string_view reason) {
  EXPECT_FALSE(count.value) << count.event << " = " << *count.value;
  EXPECT_NE(count.reason.find(reason), count.reason.npos) << count.event << ": " << count.reason;
  EXPECT_EQ(count.reason.find('\n'), count.reason.npos);
}

void expect_value(const Count& count, long long value, bool multiplexed = false) {
  EXPECT_EQ(count.value, value) << count.event << ": " << count.reason;
  EXPECT_EQ(count.reason, "") << count.event;
  EXPECT_EQ(count.multiplexed, multiplexed) << count.event;
}

// Eight events, and work that counts 10, 20, ... 80 of them in each of `turns` turns.
std::vector<StandInEvent> eight() {
  std::vector<StandInEvent> events;
  for (const char* name : {"PAPI_TOT_INS", "PAPI_TOT_CYC", "PAPI_L1_DCM", "PAPI_L2_DCM", "PAPI_L1_DCA",
                           "PAPI_LD_INS", "PAPI_SR_INS", "PAPI_VEC_DP"})
    events.push_back({.name = name});
  return events;
}

std::vector<std::string> names_of(const std::vector<StandInEvent>& events) {
  std::vector<std::string> names;
  for (const StandInEvent& event : events) names.push_back(event.name);
  return names;
}

void work_for_eight(int turns) {
  for (int turn = 0; turn < turns; ++turn) {
    if (turn) stand_in::next_turn();
    long long count = 0;
    for (const StandInEvent& event : eight()) stand_in::count(event.name, count += 10);
  }
}

class Hardware : public testing::Test {
 protected:
  static constexpr int threads = 4;
  tbb::global_control control{tbb::global_control::max_allowed_parallelism, threads};
  tbb::task_arena arena{threads};

  void TearDown() override { EXPECT_EQ(stand_in::sets_left(), 0); }
};

TEST_F(Hardware, ASetCountsTheThreadThatMadeItAlone) {
  stand_in::install({.events = {{.name = instructions}}});
  EventSet here;
  ASSERT_EQ(here.add(find_event(instructions)), "");
  here.start();
  std::vector<long long> there;
  std::thread([&] {
    EventSet set;
    ASSERT_EQ(set.add(find_event(instructions)), "");
    stand_in::count(instructions, 1000);  // before its start
    set.start();
    stand_in::count(instructions, 100);
    there = set.stop();
  }).join();
  stand_in::count(instructions, 7);
  EXPECT_EQ(here.read(), std::vector<long long>{7});
  EXPECT_EQ(here.stop(), std::vector<long long>{7});
  EXPECT_EQ(there, std::vector<long long>{100});
}

TEST_F(Hardware, CountsOfAllThreadsOfAnArenaAddUp) {
  stand_in::install({.events = {{.name = instructions}, {.name = l1_misses}}});
  constexpr int n = 10000;
  bool all = false;
  const auto work = [&] {
    // Every thread has a part, and oneTBB shares the rest out as it will.
    all = on_each_thread(threads, [](int) { stand_in::count(instructions, 1'000'000); });
    tbb::parallel_for(1, n + 1, [](int i) {
      stand_in::count(instructions, i);
      stand_in::count(l1_misses, 3);
    });
  };
  const auto together = Counting({instructions, l1_misses}).run(arena, work);
  EXPECT_TRUE(all);
  expect_value(together[0], threads * 1'000'000LL + n * (n + 1LL) / 2);
  expect_value(together[1], 3 * n);

  // The calling thread alone.
  Count alone;
  arena.execute([&] { alone = Counting({instructions}).run(work).front(); });
  ASSERT_TRUE(alone.value) << alone.reason;
  EXPECT_GE(*alone.value, 1'000'000);
  EXPECT_LE(*alone.value, *together[0].value - 1'000'000);
}

TEST_F(Hardware, MoreEventsThanCountersAreCountedInPassesExactly) {
  stand_in::install({.counters = 6, .events = eight()});
  const Counting counting(names_of(eight()));
  EXPECT_EQ(counting.passes(), 2);  // 6 counters, of which a hardware thread is sure of 4
  int runs = 0, prepared = 0;
  const auto counts = counting.run(
      [&] {
        ++runs;
        work_for_eight(1);
      },
      [&] {
        EXPECT_EQ(prepared++, runs);
        stand_in::count(cycles, 1'000'000);
      });
  EXPECT_EQ(runs, 2);
  EXPECT_EQ(prepared, 2);
  for (std::size_t i = 0; i < counts.size(); ++i) expect_value(counts[i], 10 * static_cast<int>(i + 1));
}

TEST_F(Hardware, EventsThatConflictAreCountedInPassesOfTheirOwn) {
  stand_in::install(
      {.events = {{.name = instructions}, {.name = l1_misses, .counters = 3}, {.name = l2_misses}},
       .conflicts = {{instructions, l2_misses}}});
  const Counting counting({instructions, l1_misses, l2_misses});
  EXPECT_EQ(counting.passes(), 2);
  const auto counts = counting.run([] { work_for_eight(1); });
  expect_value(counts[0], 10);
  expect_value(counts[1], 30);
  expect_value(counts[2], 40);
}

TEST_F(Hardware, RefusedEventsAreAbsentWithPapisReasonAndTheOthersCounted) {
  stand_in::install({.events = {{.name = instructions},
                                {.name = "PAPI_L3_DCM", .query = PAPI_ENOEVNT},
                                {.name = l1_misses, .add = PAPI_EPERM},
                                {.name = l2_misses, .start = PAPI_EPERM},
                                {.name = "PAPI_L1_DCA", .counters = 5},
                                {.name = cycles}}});
  const Counting counting({instructions, "PAPI_L3_DCM", l1_misses, l2_misses, "PAPI_L1_DCA", cycles});
  EXPECT_EQ(counting.passes(), 1);
  const auto counts = counting.run([] { stand_in::count(instructions, 5); });
  expect_value(counts[0], 5);
  expect_absent(counts[1], "Event does not exist (5 of PAPI's 19 presets are available");
  expect_absent(counts[2], "Permission level does not permit operation (perf_event_paranoid is");
  expect_absent(counts[3], "Permission level does not permit operation");
  expect_absent(counts[4], "cannot be counted due to hardware resource limits");
  expect_value(counts[5], 0);  // counted, and there were none
}

TEST_F(Hardware, ADisabledComponentLeavesEveryEventAbsentWithItsReason) {
  stand_in::install({.events = {{.name = instructions}, {.name = l1_misses}},
                     .disabled = "perf_event_paranoid=4 forbids it"});
  const Counting counting({instructions, l1_misses});
  EXPECT_EQ(counting.passes(), 0);
  bool ran = false;
  for (const Count& count : counting.run([&] { ran = true; }))
    expect_absent(count, "PAPI's component perf_event is disabled: perf_event_paranoid=4 forbids it");
  EXPECT_FALSE(ran);
  EXPECT_THROW(choose_source(Source::hardware), Error);
  EXPECT_EQ(choose_source(Source::automatic).source, Source::simulated);
}

TEST_F(Hardware, ASumWithoutOneThreadsCountsIsAbsent) {
  stand_in::install(
      {.events = {{.name = instructions, .start_elsewhere = PAPI_ECNFLCT}, {.name = "perf::PAGE-FAULTS"}}});
  bool all = false;
  const auto counts = Counting({instructions, "perf::PAGE-FAULTS"}).run(arena, [&] {
    all = on_each_thread(threads, [](int) {
      stand_in::count(instructions, 100);
      stand_in::count("perf::PAGE-FAULTS", 2);
    });
  });
  EXPECT_TRUE(all);
  expect_absent(counts[0], "cannot be counted due to hardware resource limits");
  expect_value(counts[1], 2 * threads);
}

TEST_F(Hardware, CountsThatAreLostAtTheEndAreAbsent) {
  stand_in::install({.events = {{.name = instructions, .stop = PAPI_ECLOST}, {.name = cycles}}});
  for (const Count& count : Counting({instructions, cycles}).run([] { stand_in::count(cycles, 3); }))
    expect_absent(count, "Access to the counters was lost");
  for (const Count& count : Counting({instructions, cycles}).run(arena, [] { stand_in::count(cycles, 3); }))
    expect_absent(count, "Access to the counters was lost");
}

TEST_F(Hardware, MultiplexedEventsAreEstimatedInOneRun) {
  stand_in::install({.events = eight()});
  const Counting counting(names_of(eight()), Sharing::multiplexed);
  EXPECT_EQ(counting.passes(), 1);
  auto counts = counting.run([] { work_for_eight(16); });
  // Even work: half the turns, scaled by two, come to all of it.
  for (std::size_t i = 0; i < counts.size(); ++i)
    expect_value(counts[i], 160 * static_cast<int>(i + 1), true);
  // Uneven work: what happened in another event's turn is estimated, not counted.
  counts = counting.run([] {
    work_for_eight(2);
    stand_in::count("PAPI_VEC_DP", 1000);
    stand_in::count(instructions, 1000);
  });
  expect_value(counts[0], 20, true);
  expect_value(counts[7], 160 + 2000, true);
  // A thread each: turns and sums of their own.
  counts = counting.run(arena, [] { on_each_thread(threads, [](int) { work_for_eight(4); }); });
  expect_value(counts[1], 20 * 4 * threads, true);
}

TEST_F(Hardware, AMultiplexedEventThatHadNoTurnIsAbsentNotZero) {
  stand_in::install({.events = eight()});
  const auto counts = Counting(names_of(eight()), Sharing::multiplexed).run([] { work_for_eight(1); });
  for (std::size_t i = 0; i < 4; ++i) expect_value(counts[i], 10 * static_cast<int>(i + 1), true);
  for (std::size_t i = 4; i < 8; ++i) expect_absent(counts[i], "no turn on a counter");
}

TEST_F(Hardware, OnlyWhatDoesNotFitIsMultiplexed) {
  stand_in::install({.events = eight()});
  for (const Count& count :
       Counting(std::vector<std::string>{instructions, cycles}, Sharing::multiplexed).run([] {
         stand_in::count(cycles, 6);
         stand_in::count(instructions, 6);
       }))
    expect_value(count, 6);

  Processor processor{.events = eight()};
  processor.events.push_back({.name = "perf::PAGE-FAULTS", .counters = 0});
  processor.events.push_back({.name = "PAPI_L3_DCM", .add = PAPI_EPERM});
  stand_in::install(processor);
  const Counting counting(names_of(processor.events), Sharing::multiplexed);
  EXPECT_EQ(counting.passes(), 2);  // the kernel's events take no counter and stay exact
  const auto counts = counting.run([] {
    work_for_eight(2);
    stand_in::count("perf::PAGE-FAULTS", 4);
  });
  expect_value(counts[0], 20, true);
  expect_value(counts[8], 4);
  expect_absent(counts[9], "Permission");
}

TEST_F(Hardware, MultiplexingThatIsRefusedLeavesAReason) {
  stand_in::install({.events = eight(), .multiplex = PAPI_ENOEVNT});
  const Counting counting(names_of(eight()), Sharing::multiplexed);
  EXPECT_EQ(counting.passes(), 0);
  for (const Count& count : counting.run([] { work_for_eight(2); }))
    expect_absent(count, "PAPI_set_multiplex");
}

TEST_F(Hardware, IsChosenWhereItCountsMisses) {
  stand_in::install({.events = {{.name = l1_misses, .start = PAPI_EPERM}, {.name = "PAPI_L1_TCM"}}});
  EXPECT_EQ(event_for("L1 data misses", Source::hardware).event, "PAPI_L1_TCM");  // stands in
  EXPECT_EQ(choose_source(Source::automatic).reason, "hardware: PAPI counts PAPI_L1_TCM here");
  EXPECT_EQ(event_for("loads", Source::automatic).event, "");
}

TEST_F(Hardware, WhatHappensInTheKernelIsNotReadAsZero) {
  stand_in::install({.events = {{.name = "perf::CONTEXT-SWITCHES"}, {.name = "perf::CONTEXT-SWITCHES:k=1"}}});
  const auto counts = Counting({"perf::CONTEXT-SWITCHES", "perf::CONTEXT-SWITCHES:k=1"}).run([] {
    stand_in::count("perf::CONTEXT-SWITCHES:k=1", 8);
  });
  expect_absent(counts[0], "perf::CONTEXT-SWITCHES:k=1 counts it");
  expect_value(counts[1], 8);
}

}  // namespace
}  // namespace tallcache
