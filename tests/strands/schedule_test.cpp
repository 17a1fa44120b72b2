// Schedules of recorded strands, held against ones that were worked by hand, and against what holds of all.
#include "common/cache/schedule.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>

#include "common/cache/private_caches.hpp"
#include "tests/strands/programs.hpp"

namespace tallcache::cache {
void PrintTo(const ScheduledStrand& placed, std::ostream* out) {
  *out << "{" << placed.start << ", " << placed.strand << ", " << placed.processor << "}";
}
}  // namespace tallcache::cache

namespace tallcache::test {
namespace {

using namespace cache;
using Schedule = std::vector<ScheduledStrand>;

Schedule placed(const Strands& strands, Scheduler scheduler, int processors, std::uint64_t seed = 1) {
  KeptSchedule kept(strands);
  schedule(strands, scheduler, processors, seed, kept);
  Schedule list = kept.placed();
  std::ranges::sort(list, {}, [](const ScheduledStrand& p) { return std::pair(p.start, p.processor); });
  return list;
}

// Strands `first` ... `last`, of one step each, one after another.
void then(Schedule& list, StrandNumber first, StrandNumber last, std::uint64_t start, int processor) {
  for (StrandNumber s = first; s <= last; ++s) list.push_back({start + s - first, s, processor});
}

Schedule sorted(Schedule list) {
  std::ranges::sort(list, {}, [](const ScheduledStrand& p) { return std::pair(p.start, p.processor); });
  return list;
}

// fib(2) is a fork, fib(1), fib(0) and the sum: four strands. fib(3) has 4 + 1 + 2, fib(6) 37: fib(6)'s fork
// is 0, fib(5) is 1 to 22, fib(4) 23 to 35, the sum 36. In fib(5), fib(4) is 2 to 14 and fib(3) 15 to 21.
TEST(Strands, OfFib) {
  const Strands three = strands_of_fib(3);
  ASSERT_EQ(three.size(), 7u);
  const StrandNumber second[] = {5, 3, no_strand, no_strand, no_strand, no_strand, no_strand};
  const StrandNumber next[] = {6, 4, 4, 4, 6, 6, no_strand};
  for (StrandNumber s = 0; s < 7; ++s) {
    EXPECT_EQ(three[s].second, second[s]) << s;
    EXPECT_EQ(three[s].next, next[s]) << s;
    EXPECT_EQ(three[s].steps, 1u);
  }
  const Strands six = strands_of_fib(6);
  EXPECT_EQ(six.size(), 37u);
  EXPECT_EQ(six[0].second, 23u);
  EXPECT_EQ(six[1].second, 15u);
  EXPECT_EQ(six.span(), 11u);  // six calls down to fib(1), five sums
}

// Processor 1 takes fib(4) at step 1, has it at 2, and comes to the last sum at 15, where nobody has work to
// take. Processor 0 begins fib(3) at 15: at 16 its second branch, strand 20, is taken, which waits for nobody
// at 18.
TEST(Schedule, OfFib6ByWorkStealing) {
  Schedule by_hand;
  then(by_hand, 0, 19, 0, 0);
  then(by_hand, 23, 35, 2, 1);
  by_hand.push_back({17, 20, 1});
  then(by_hand, 21, 22, 20, 0);
  by_hand.push_back({22, 36, 0});
  EXPECT_EQ(placed(strands_of_fib(6), Scheduler::work_stealing, 2), sorted(by_hand));
}

// Pieces of the serial order: 0 to 18 and 19 to 36. Processor 1 runs fib(4), and what is ready of its piece
// afterwards: 20 of fib(3), and the sums.
TEST(Schedule, OfFib6DepthFirst) {
  Schedule by_hand;
  then(by_hand, 0, 18, 0, 0);
  then(by_hand, 23, 35, 1, 1);
  by_hand.push_back({16, 20, 1});
  by_hand.push_back({19, 19, 1});
  then(by_hand, 21, 22, 20, 1);
  by_hand.push_back({22, 36, 1});
  EXPECT_EQ(placed(strands_of_fib(6), Scheduler::depth_first, 2), sorted(by_hand));
}

TEST(Schedule, OfFib6ByHeartbeatIsSerial) {
  Schedule by_hand;
  then(by_hand, 0, 36, 0, 0);
  EXPECT_EQ(placed(strands_of_fib(6), Scheduler::heartbeat, 4), by_hand) << "too short to share";
}

// 4 x 4, down to 2 x 2 x 2: 0 forks the halves of C's rows, 1 to 7 and 8 to 14. Each adds two halves of k,
// one after the other, which fork halves of the columns: leaves are 2, 3, 5, 6, 9, 10, 12, 13. A leaf
// multiplies and adds 8 times, in 4 rows of 2: it loads A 4 times, B and C 8 times, and stores C 8 times.
TEST(Strands, OfAProduct) {
  const Strands strands = strands_of_product(4, 2, 32);
  ASSERT_EQ(strands.size(), 16u);
  for (StrandNumber s = 0; s < 16; ++s) {
    const bool leaf = s == 2 || s == 3 || s == 5 || s == 6 || s == 9 || s == 10 || s == 12 || s == 13;
    EXPECT_EQ(strands[s].steps, leaf ? 29u : 1u) << s;
  }
  EXPECT_EQ(strands.work(), 8u * 29 + 8);
  EXPECT_EQ(strands.span(), 2u * 29 + 5);  // 0 1 2 4 5 7 15
  EXPECT_EQ(strands.addresses().size(), 12u);
}

TEST(Schedule, OfAProductByWorkStealing) {
  const Strands strands = strands_of_product(4, 2, 32);
  const Schedule by_hand{{0, 0, 0},   {1, 1, 0},   {2, 2, 0},    {2, 8, 1},   {3, 9, 1},   {31, 3, 0},
                         {32, 10, 1}, {60, 4, 0},  {61, 5, 0},   {61, 11, 1}, {62, 12, 1}, {90, 6, 0},
                         {91, 13, 1}, {119, 7, 0}, {120, 14, 1}, {121, 15, 1}};
  EXPECT_EQ(placed(strands, Scheduler::work_stealing, 2), by_hand);

  // Each has four lines of C and A and all four of B, where the caches hold them.
  PrivateCaches caches(strands, 2, std::vector<std::size_t>{8, 64});
  const ScheduleCounts counts = schedule(strands, Scheduler::work_stealing, 2, 1, caches);
  EXPECT_EQ(counts, (ScheduleCounts{.steps = 122, .steals = 1, .attempts = 1, .deviations = 1}));
  EXPECT_EQ(caches.misses(0), 16u);
  EXPECT_EQ(caches.misses(1), 16u);
  PrivateCaches one(strands, 1, std::vector<std::size_t>{64});
  schedule(strands, Scheduler::work_stealing, 1, 1, one);
  EXPECT_EQ(one.misses(0), 12u);
}

TEST(Schedule, OfAProductParallelDepthFirst) {
  const Schedule by_hand{{0, 0, 0},   {1, 1, 0},   {1, 8, 1},    {2, 2, 0},   {2, 3, 1},  {31, 4, 0},
                         {31, 9, 1},  {32, 5, 0},  {60, 6, 1},   {61, 10, 0}, {89, 7, 1}, {90, 11, 0},
                         {91, 12, 0}, {91, 13, 1}, {120, 14, 0}, {121, 15, 0}};
  EXPECT_EQ(placed(strands_of_product(4, 2, 32), Scheduler::parallel_depth_first, 2), by_hand);
}

// A schedule runs each strand once, behind those that it depends on, and a processor one at a time.
void expect_valid(const Strands& strands, const Schedule& list, int processors) {
  ASSERT_EQ(list.size(), strands.size());
  std::vector<std::uint64_t> ready(strands.size()), free(static_cast<std::size_t>(processors));
  std::vector<ScheduledStrand> by_strand(list);
  std::ranges::sort(by_strand, {}, &ScheduledStrand::strand);
  for (StrandNumber s = 0; s < strands.size(); ++s) {
    const ScheduledStrand& at = by_strand[s];
    ASSERT_EQ(at.strand, s);
    EXPECT_GE(at.start, ready[s]) << s;
    const std::uint64_t end = at.start + strands[s].steps;
    const auto after = [&](StrandNumber next) { ready[next] = std::max(ready[next], end); };
    if (strands[s].forks())
      after(s + 1), after(strands[s].second);
    else if (strands[s].next != no_strand)
      after(strands[s].next);
  }
  for (const ScheduledStrand& at : list) {
    std::uint64_t& mine = free[static_cast<std::size_t>(at.processor)];
    EXPECT_GE(at.start, mine);
    mine = at.start + strands[at.strand].steps;
  }
}

// The bounds that hold of every schedule: work and span laws, Z/L misses a deviation, two deviations a steal.
void expect_bounds(const Strands& strands, Scheduler scheduler, int processors, std::uint64_t seed) {
  const std::vector<std::size_t> lines{4, 16, 64};
  PrivateCaches serial(strands, 1, lines), caches(strands, processors, lines);
  schedule(strands, Scheduler::depth_first, 1, 1, serial);
  const ScheduleCounts counts = schedule(strands, scheduler, processors, seed, caches);
  EXPECT_GE(counts.steps, strands.span());
  EXPECT_GE(counts.steps * static_cast<std::uint64_t>(processors), strands.work());
  for (std::size_t i = 0; i < lines.size(); ++i)
    EXPECT_LE(caches.misses(i), serial.misses(i) + lines[i] * counts.deviations);
  if (scheduler == Scheduler::work_stealing || scheduler == Scheduler::heartbeat) {
    EXPECT_LE(counts.deviations, 2 * counts.steals);
  }
  if (scheduler == Scheduler::parallel_depth_first) {
    EXPECT_LE(counts.steps, strands.work() / static_cast<std::uint64_t>(processors) + strands.span());
  }
}

TEST(Schedule, KeepsTheBounds) {
  const Strands programs[] = {strands_of_fib(14), strands_of_product(16, 1, 32),
                              strands_of_product(32, 4, 64, 8)};
  for (const Strands& strands : programs)
    for (const Scheduler scheduler : schedulers)
      for (const int processors : {1, 2, 3, 16, 256})
        for (const std::uint64_t seed : {1, 2}) {
          SCOPED_TRACE(std::string(to_string(scheduler)) + " on " + std::to_string(processors));
          expect_valid(strands, placed(strands, scheduler, processors, seed), processors);
          expect_bounds(strands, scheduler, processors, seed);
        }
}

TEST(Schedule, OfOneSeedIsOneSchedule) {
  const Strands strands = strands_of_product(16, 1, 32);
  const auto of = [&](std::uint64_t seed) { return placed(strands, Scheduler::work_stealing, 8, seed); };
  EXPECT_EQ(of(3), of(3));
  EXPECT_NE(of(3), of(4));
}

// It shares a program of more than 30000 steps.
TEST(Schedule, HeartbeatSharesLongPrograms) {
  const Strands strands = strands_of_product(48, 1, 64, 8);
  KeptSchedule kept(strands);
  const ScheduleCounts counts = schedule(strands, Scheduler::heartbeat, 4, 1, kept);
  EXPECT_GT(counts.steals, 2u);
  EXPECT_LT(counts.steps, strands.work() / 2);
}

TEST(Schedule, RefusesProcessors) {
  const Strands strands = strands_of_fib(3);
  const auto message = [&](int processors) -> std::string {
    try {
      placed(strands, Scheduler::work_stealing, processors);
    } catch (const Error& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_EQ(message(7), "");
  EXPECT_EQ(message(8), "8 processors are more than the 7 strands of this run");
  EXPECT_EQ(message(0), "0 processors: there must be 1 to 256");
  EXPECT_EQ(message(257), "257 processors: there must be 1 to 256");
  EXPECT_THROW(find_scheduler("work-steeling"), Error);
  for (const Scheduler scheduler : schedulers) EXPECT_EQ(find_scheduler(to_string(scheduler)), scheduler);
}

}  // namespace
}  // namespace tallcache::test
