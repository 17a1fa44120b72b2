// A program's profile is the same on one thread and on two.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <thread>
#include <utility>

#include "tests/work_span/programs.hpp"

namespace tallcache::test {
namespace {

/// Nested forks of very unequal branches. `unrelated` counts those that began on top of another strand than
/// the one that forked them, which is what a thread that waits does; `stolen` those on another thread.
class Spine {
  // Long enough to be stolen from.
  static void leaf(Index units) {
    charge(units);
    const double end = Nanoseconds::now() + 300.0 * static_cast<double>(units);
    while (Nanoseconds::now() < end) continue;
  }

  auto branch(int depth, std::uint64_t seed) const {
    return [this, depth, seed, parent = innermost, forker = std::this_thread::get_id()] {
      unrelated += innermost != nullptr && innermost != parent;
      stolen += std::this_thread::get_id() != forker;
      const int self = 0;
      const int* const before = std::exchange(innermost, &self);
      run(depth, seed);
      innermost = before;
    };
  }

 public:
  explicit Spine(const Units& fork) : fork_(fork) {}

  void run(int depth, std::uint64_t seed) const {
    leaf(static_cast<Index>(random_up_to(seed, 0, 3)));
    if (depth == 0) return;
    const auto deep = branch(depth - 1, seed + 1), shallow = branch(depth / 3, seed + 2);
    if (random_up_to(seed, 1, 1))
      fork_(deep, shallow);
    else
      fork_(shallow, deep);
    leaf(1);
  }

  static inline std::atomic<int> unrelated = 0, stolen = 0;

 private:
  const Units& fork_;
  static inline thread_local const int* innermost = nullptr;  ///< the branch that runs here
};

TEST(WorkSpan, IsTheSameOnTwoThreads) {
  if (usable_threads() < 2) GTEST_SKIP() << "needs 2 processors";
  const auto run = [](int threads, std::uint64_t seed) {
    Units fork({.burden = 7, .threads = threads});
    return fork.profile([&] { Spine(fork).run(9, seed); });
  };
  int rounds = 0;
  for (; rounds < 60 || (Spine::unrelated == 0 && rounds < 5000); ++rounds) {
    const auto seed = static_cast<std::uint64_t>(rounds % 20) * 1000;
    ASSERT_EQ(run(2, seed), run(1, seed)) << seed;
  }
  EXPECT_GT(Spine::stolen, 0) << "nothing ran on the second thread";
  EXPECT_GT(Spine::unrelated, 0) << "no waiting thread ran another task";
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto run_random = [&](int threads) {
      return profiled([&](auto& fork) { random_program(fork, seed, 5); }, {.burden = 50, .threads = threads});
    };
    ASSERT_EQ(run_random(2), run_random(1)) << seed;
  }
}

}  // namespace
}  // namespace tallcache::test
