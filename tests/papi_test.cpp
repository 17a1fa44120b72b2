// Counting through PAPI. What this machine has no counter for is checked to be absent with a reason; the
// per-thread path is checked with page faults, which the kernel counts per thread on every machine that lets
// PAPI count at all.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <set>
#include <string>
#include <thread>

#include "common/error.hpp"
#include "common/papi/counting.hpp"
#include "common/papi/event_set.hpp"
#include "common/papi/source.hpp"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized = true;
// What libpapi and libsde keep until the process ends.
extern "C" const char* __lsan_default_suppressions() { return "leak:libpapi.so\nleak:libsde.so\n"; }
#else
constexpr bool sanitized = false;
#endif

namespace tallcache {
namespace {

constexpr char faults[] = "perf::PAGE-FAULTS";
constexpr char l1_misses[] = "sde:::tallcache::L1_DCM";

SimulatedCounters& counters() {
  simulated_counters().publish({Simulated::accesses, Simulated::l1_misses, Simulated::l2_misses});
  return simulated_counters();
}

std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

EventSet& with(EventSet& set, const char* name) {
  EXPECT_EQ(set.add(find_event(name)), "") << name;
  return set;
}

// Touches `pages` pages that were never touched, small ones: as many page faults on this thread.
void fault(std::size_t pages) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* memory = mmap(nullptr, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  madvise(memory, pages * page, MADV_NOHUGEPAGE);
  for (std::size_t i = 0; i < pages; ++i) static_cast<volatile char*>(memory)[i * page] = 1;
  munmap(memory, pages * page);
}

// What threads fault beside (their stacks, oneTBB's and PAPI's memory) is less than 64 pages each; a
// sanitizer's shadow memory is not, so that there the count has no upper limit.
void expect_faults(const std::optional<long long>& count, long long pages, int threads = 1) {
  ASSERT_TRUE(count);
  EXPECT_GE(*count, pages);
  if (!sanitized) {
    EXPECT_LT(*count, pages + 64 * threads);
  }
}

// Why page faults cannot be counted here, or empty.
std::string no_faults() {
  return Counting({faults}).run([] {}).front().reason;
}

// `threads` tasks, each on a thread of its own: none goes on before all have begun. False when that took too
// long.
bool on_each_thread(int threads, const std::function<void(int)>& work) {
  std::atomic<int> begun = 0;
  std::atomic<bool> all = true;
  tbb::task_group group;
  const auto task = [&](int index) {
    ++begun;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (begun < threads && all) {
      std::this_thread::yield();
      if (std::chrono::steady_clock::now() > deadline) all = false;
    }
    work(index);
  };
  for (int i = 1; i < threads; ++i) group.run([&task, i] { task(i); });
  task(0);
  group.wait();
  return all;
}

std::string output_of(const std::string& command) {
  std::string text;
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (!pipe) return text;
  for (char buffer[4096]; const std::size_t size = fread(buffer, 1, sizeof buffer, pipe);)
    text.append(buffer, size);
  pclose(pipe);
  return text;
}

TEST(SimulatedEvents, AreReadExactly) {
  counters();
  EventSet set;
  with(with(set, l1_misses), "sde:::tallcache::ACCESSES");
  counters().add(Simulated::l1_misses, 1000);  // before the start: not counted
  set.start();
  counters().add(Simulated::l1_misses, 7);
  counters().add(Simulated::accesses, 123456789012);
  EXPECT_EQ(set.read(), (std::vector<long long>{7, 123456789012}));
  counters().add(Simulated::l1_misses, 5);
  EXPECT_EQ(set.read(), (std::vector<long long>{12, 123456789012}));
  set.reset();
  counters().add(Simulated::l1_misses, 3);
  EXPECT_EQ(set.stop(), (std::vector<long long>{3, 0}));
  counters().add(Simulated::l1_misses, 100);  // after the stop: not counted
  set.start();
  EXPECT_EQ(set.stop(), (std::vector<long long>{0, 0}));
  EXPECT_GE(counters().total(Simulated::l1_misses), 1115);
}

TEST(SimulatedEvents, AreDescribed) {
  counters();
  std::set<std::string_view> names;
  for (const SimulatedEvent& event : simulated_events()) {
    EXPECT_FALSE(event.description.empty()) << event.name;
    EXPECT_TRUE(names.insert(event.name).second) << event.name;
  }
  EXPECT_EQ(papi_name(at_level(Simulated::l1_misses, 3)), "sde:::tallcache::L3_DCM");
  EXPECT_EQ(papi_name(at_level(Simulated::l1_written_back, 2)), "sde:::tallcache::L2_WB");
  EXPECT_EQ(papi_name(Simulated::false_sharing), "sde:::tallcache::FALSE_SHARING");
  EXPECT_EQ(find_event(l1_misses).description, "Simulated level 1 data-cache misses");  // as PAPI has it
}

TEST(SimulatedEvents, ThatNothingCountsAreAbsent) {
  const Counting counting({"sde:::tallcache::OPT_MISSES"});
  EXPECT_EQ(counting.passes(), 0);
  bool ran = false;
  const Count count = counting.run([&] { ran = true; }).front();
  EXPECT_FALSE(ran);
  EXPECT_FALSE(count.value);
  EXPECT_NE(count.reason.find("no cache model"), count.reason.npos) << count.reason;
  EXPECT_NE(error_of([] { simulated_counters().add(Simulated::opt_misses, 1); }), "");
}

TEST(Events, UnknownOnesNameTheNearest) {
  counters();
  const auto message = [](const char* name) { return error_of([&] { Counting({name}); }); };
  EXPECT_EQ(message("PAPI_L1_DCMM"), "unknown event 'PAPI_L1_DCMM'; did you mean 'PAPI_L1_DCM'?");
  EXPECT_EQ(message("sde:::tallcache::L1_DCN"),
            "unknown event 'sde:::tallcache::L1_DCN'; did you mean 'sde:::tallcache::L1_DCM'?");
  EXPECT_EQ(message("L2_DCM"), "unknown event 'L2_DCM'; did you mean 'PAPI_L2_DCM'?");
  EXPECT_EQ(message("papi_tot_inst"), "unknown event 'papi_tot_inst'; did you mean 'PAPI_TOT_INS'?");
  const std::string none = message("nothing like any event of any processor");
  EXPECT_NE(none.find("unknown event"), none.npos) << none;
  EXPECT_EQ(none.find('\n'), none.npos);
  if (const std::string reason = no_faults(); !reason.empty()) GTEST_SKIP() << "no native events: " << reason;
  EXPECT_EQ(message("perf::PAGE-FAULT"),
            "unknown event 'perf::PAGE-FAULT'; did you mean 'perf::PAGE-FAULTS'?");
}

TEST(Events, OfTheHardwareAreCountedOrAbsentWithPapisReason) {
  constexpr int times = 1'000'000;
  const Counting counting(
      {"PAPI_TOT_INS", "PAPI_TOT_CYC", "PAPI_L1_DCM", "PAPI_L2_DCM", "PAPI_L3_TCM", "PAPI_VEC_DP"});
  int runs = 0;
  const auto counts = counting.run([&] {
    ++runs;
    for (int i = 0; i < times; ++i) asm volatile("");
  });
  EXPECT_EQ(runs, counting.passes());
  for (const Count& count : counts) {
    EXPECT_FALSE(count.description.empty()) << count.event;
    EXPECT_EQ(count.value.has_value(), count.reason.empty()) << count.event << ": " << count.reason;
    if (!count.value) {
      std::printf("%s is absent: %s\n", count.event.c_str(), count.reason.c_str());
    } else if (count.event == "PAPI_TOT_INS") {
      EXPECT_GE(*count.value, 2 * times);  // at least an add and a branch each
      EXPECT_LE(*count.value, 20 * times);
    } else {
      EXPECT_GE(*count.value, 0) << count.event;
    }
  }
}

TEST(Counting, NeverMultiplexes) {
  if (const std::string reason = no_faults(); !reason.empty()) GTEST_SKIP() << reason;
  counters();
  const Counting counting({faults, "perf::TASK-CLOCK", "perf::CPU-CLOCK", l1_misses, "perf::MAJOR-FAULTS",
                           "perf::MINOR-FAULTS", "perf::CONTEXT-SWITCHES"});
  EXPECT_EQ(counting.passes(), 2);
  for (const Counting::Pass& pass : counting.plan())
    for (const Counting::Group& group : pass) EXPECT_LE(group.size(), 4u);
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

TEST_F(Threads, CountsOfAllAreAddedUp) {
  if (const std::string reason = no_faults(); !reason.empty()) GTEST_SKIP() << reason;
  constexpr int pages = 2000;
  bool all = false;
  const auto work = [&] { all = on_each_thread(threads, [](int i) { fault(pages * (i + 1)); }); };
  const Count together = Counting({faults}).run(arena, work).front();
  EXPECT_TRUE(all);
  EXPECT_EQ(together.reason, "");
  expect_faults(together.value, pages * (1 + 2 + 3 + 4), threads);

  // The calling thread alone sees its own task only (task 0, or another that it took: at least one, never
  // all).
  std::optional<long long> alone;
  arena.execute([&] { alone = Counting({faults}).run(work).front().value; });
  EXPECT_TRUE(all);
  EXPECT_GE(alone, pages);
  if (!sanitized) {
    EXPECT_LT(alone, pages * (1 + 2 + 3 + 4));
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

TEST(Sources, AreChosenWithAReason) {
  counters();
  EXPECT_EQ(parse_source("auto"), Source::automatic);
  EXPECT_EQ(error_of([] { parse_source("hardwear"); }),
            "unknown source 'hardwear'; did you mean 'hardware'?");
  EXPECT_EQ(event_for("L1 data misses", Source::simulated).event, l1_misses);
  EXPECT_EQ(event_for("cycles", Source::simulated).reason, "needs hardware counters");
  EXPECT_NE(error_of([] { event_for("L1 data mises", Source::simulated); }).find("'L1 data misses'"),
            std::string::npos);

  const SourceChoice choice = choose_source(Source::automatic);
  std::printf("%s\n", choice.reason.c_str());
  EXPECT_FALSE(choice.reason.empty());
  EXPECT_EQ(choice.reason.find('\n'), choice.reason.npos);
  const std::string error = error_of([] { choose_source(Source::hardware); });
  EXPECT_EQ(error.empty(), choice.source == Source::hardware) << error;
  for (const Countable& quantity : quantities())
    for (Source source : {Source::hardware, Source::simulated}) {
      const EventChoice event = event_for(quantity.name, source);
      EXPECT_NE(event.event.empty(), event.reason.empty()) << quantity.name << ": " << event.reason;
    }
}

TEST(PapiTools, ListTheSimulatedEvents) {
  if (sanitized) GTEST_SKIP() << "PAPI's tool, which has no sanitizer in it, cannot load a library that has";
  if (output_of("papi_native_avail --help").find("-sde") == std::string::npos)
    GTEST_SKIP() << "papi_native_avail is not installed (papi-tools), or too old for -sde";
  for (const char* file : {TALLCACHE_SDE_LIBRARY, READ_MISSES}) {
    const std::string list = output_of(std::string("papi_native_avail -sde '") + file + "'");
    for (const SimulatedEvent& event : simulated_events()) {
      EXPECT_NE(list.find("sde:::tallcache::" + std::string(event.name) + " "), list.npos)
          << file << event.name;
      EXPECT_NE(list.find(std::string(event.description.substr(0, 40))), list.npos) << file << event.name;
    }
  }
}

TEST(PapiTools, PlainProgramReadsASimulatedEvent) {
  long long misses = -1;
  const std::string output = output_of(std::string("'") + READ_MISSES + "'");
  ASSERT_EQ(std::sscanf(output.c_str(), "sde:::tallcache::L1_DCM = %lld", &misses), 1) << output;
  EXPECT_GE(misses, 2 * 512 * 512 / 8);  // each line of both matrices at least once,
  EXPECT_LE(misses, 2 * 512 * 512);      // and each access at most once
}

}  // namespace
}  // namespace tallcache
