// When a latent fork becomes a task, by a clock that the tests hand in.
#include <gtest/gtest.h>

#include <vector>

#include "common/fork/decide.hpp"
#include "common/fork/heartbeat.hpp"
#include "common/fork/one_tbb.hpp"

namespace tallcache::test {
namespace {

using detail::decide;
using detail::ForkState;
using detail::most_forks;
using detail::polling;
using detail::promotion;
using detail::several;
using detail::sharing;
using detail::Situation;
using detail::Time;
using detail::waking;

constexpr Time start = 1'000'000'000;

ForkState begun_at(Time begun) { return {.polled = begun, .begun = begun}; }

/// A fork of 16 threads, of which `idle` are in the arena without a task.
Situation situation(const ForkState& thread, Time seen, int idle) { return {thread, seen, 16, idle}; }

TEST(Decide, SharesAProgramThatHasRunForSomeTime) {
  const ForkState thread = begun_at(start);
  EXPECT_EQ(decide(situation(thread, start, 3), start + sharing - 1), 0);
  EXPECT_EQ(decide(situation(thread, start, 3), start + sharing), 3);
}

// Where all others sleep or are busy: one task wakes them, and those that come ask for more.
TEST(Decide, KeepsATaskOnOfferInALongerProgram) {
  const ForkState thread = begun_at(start);
  EXPECT_EQ(decide(situation(thread, start, 0), start + waking - 1), 0);
  EXPECT_EQ(decide(situation(thread, start, 0), start + waking), 1);
  EXPECT_EQ(decide(situation(thread, start, 2), start + waking), 2);
}

TEST(Decide, LeavesAForkThatIsYoungerThanItsPromotionTakes) {
  const ForkState thread;  // of a task
  EXPECT_EQ(decide(situation(thread, start, 4), start + promotion - 1), 0);
  EXPECT_EQ(decide(situation(thread, start, 4), start + promotion), 4);
}

TEST(Decide, DoesNotWaitInAProgramThatForetellsItsWork) {
  ForkState thread = begun_at(start);
  thread.expect(start, sharing - 1);
  EXPECT_EQ(decide(situation(thread, start, 4), start), 0);
  thread.expect(start, sharing);
  EXPECT_EQ(decide(situation(thread, start, 4), start), 4);
  EXPECT_EQ(decide(situation(thread, start, 0), start), 0);
  thread.expect(start, waking);
  EXPECT_EQ(decide(situation(thread, start, 0), start), 15);
  // Each task takes half of what is left, until half of it takes less than a promotion.
  Time left = waking;
  for (; left >= 2 * promotion; left /= 2) {
    EXPECT_EQ(decide(situation(thread, start, 0), start), 15) << left;
    EXPECT_EQ(thread.promote(start), left / 2);
  }
  EXPECT_EQ(decide(situation(thread, start, 4), start), 0);
  EXPECT_EQ(thread.promote(start + waking), 0);
}

TEST(Decide, OffersTasksAheadWhereStrandsAreLong) {
  ForkState thread;
  thread.polled = start;
  const auto decided = [&] { return decide(situation(thread, thread.polled, 0), thread.polled); };
  thread.poll(thread.polled + sharing - 1);
  EXPECT_EQ(decided(), 0);
  thread.poll(thread.polled + sharing);
  EXPECT_EQ(decided(), 15);
  for (int short_ones = 1; short_ones < several; ++short_ones) {
    thread.poll(thread.polled + 1);
    EXPECT_EQ(decided(), 15) << short_ones;
  }
  thread.poll(thread.polled + 1);
  EXPECT_EQ(decided(), 0);
}

/// Polls again and again, where each fork takes so long.
void settle(ForkState& thread, Time fork) {
  for (int i = 0; i < 20; ++i) {
    const Time since = thread.forks * fork;
    thread.until_poll = 0;
    thread.poll(thread.polled + since);
  }
}

TEST(Decide, PollsInTime) {
  ForkState thread = begun_at(start);
  settle(thread, 100);
  EXPECT_EQ(thread.forks, polling / 100);
  settle(thread, 1);
  EXPECT_EQ(thread.forks, most_forks);
  settle(thread, 2 * polling);
  EXPECT_EQ(thread.forks, 1);
  // By a call: earlier than it wanted.
  settle(thread, 100);
  thread.until_poll = thread.forks / 2;
  thread.poll(thread.polled + 1);
  EXPECT_EQ(thread.forks, polling / 100);
  EXPECT_EQ(thread.until_poll, thread.forks);
}

/// What is decided at the polls of a program, by the lengths of its strands.
std::vector<int> decisions(ForkState& thread, const std::vector<Time>& strands) {
  std::vector<int> decided;
  Time now = thread.polled;
  const Time first = now;
  for (const Time strand : strands) {
    now += strand;
    if (--thread.until_poll > 0) continue;
    thread.poll(now);
    decided.push_back(decide(situation(thread, first, 1), now));
  }
  return decided;
}

TEST(Decide, RemembersNothingOfTheProgramBefore) {
  if (usable_threads() < 2) GTEST_SKIP() << "needs 2 processors";
  ForkState& thread = detail::latent_list.state;
  std::vector<Time> a(100, 400'000), b;
  for (Time strand = 10; strand < 100'000; strand += strand / 2) b.insert(b.end(), 5, strand);
  Heartbeat{2};
  const std::vector<int> alone = decisions(thread, b);
  Heartbeat{2};
  thread.expect(thread.polled, 1'000'000'000);
  decisions(thread, a);
  EXPECT_NE(decisions(thread, b), alone);
  Heartbeat{2};
  EXPECT_EQ(decisions(thread, b), alone);
}

// However many threads see that one is idle.
TEST(Decide, ClaimsNoMoreTasksThanItMay) {
  detail::ArenaState arena(2);
  EXPECT_FALSE(arena.claim(0));
  EXPECT_TRUE(arena.claim(2));
  EXPECT_TRUE(arena.claim(2));
  EXPECT_FALSE(arena.claim(2));
  EXPECT_EQ(arena.offered, 2);
}

}  // namespace
}  // namespace tallcache::test
