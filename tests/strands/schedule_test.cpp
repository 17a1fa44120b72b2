// Schedules of recorded strands, held against ones that were worked by hand.
#include "common/cache/schedule.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "common/cache/private_caches.hpp"
#include "common/cache/run_traced.hpp"
#include "common/cache/stack_distances.hpp"
#include "common/catalogue.hpp"
#include "cpu/fib/fib.hpp"
#include "tests/support.hpp"

namespace tallcache::cache {
namespace {

constexpr std::size_t line = 64;

Strands strands_of_fib(Index n) {
  return record_strands(line, 2, [n](Tracer& tracer) {
    Recorded fork(*tracer.fork_observer(), tracer.width());
    cpu::fib::fibonacci(fork, n, 0);
  });
}

std::vector<Placed> placed(const Strands& strands, Scheduler scheduler, int processors, std::uint64_t seed = 1) {
  KeptSchedule kept(strands);
  schedule(strands, scheduler, processors, seed, kept);
  return kept.placed();
}

// The numbers of fib(3): 0 forks fib(2) and fib(1); 1, the fork of fib(2), is before 2, fib(1), 3, fib(0), and 4,
// its sum; 5 is fib(1), 6 the sum.
TEST(Strands, OfFib3) {
  const Strands strands = strands_of_fib(3);
  ASSERT_EQ(strands.size(), 7u);
  const StrandNumber second[] = {5, 3, no_strand, no_strand, no_strand, no_strand, no_strand};
  const StrandNumber next[] = {6, 4, 4, 4, 6, 6, no_strand};
  for (StrandNumber s = 0; s < 7; ++s) {
    EXPECT_EQ(strands[s].second, second[s]) << s;
    EXPECT_EQ(strands[s].next, next[s]) << s;
    EXPECT_EQ(strands[s].steps, 1u);
  }
  EXPECT_EQ(strands.work(), 7u);
  EXPECT_EQ(strands.span(), 5u);  // 0 1 2 4 6
}

}  // namespace
}  // namespace tallcache::cache
