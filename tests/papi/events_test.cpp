// The events that there are, simulated ones and the hardware's: their names and descriptions, what is read,
// and where they are counted. What this machine has no counter for is absent with a reason.
#include <gtest/gtest.h>

#include <cstdio>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/papi/source.hpp"
#include "tests/papi/counters.hpp"

namespace tallcache::test {
namespace {

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

}  // namespace
}  // namespace tallcache::test
