// Working memory of strands: each has its own, under every fork policy, and none keeps it over a fork.
#include "common/fork/local_memory.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "common/fork/one_tbb.hpp"
#include "common/fork/recorded.hpp"
#include "common/fork/work_span.hpp"
#include "common/random.hpp"
#include "tests/heartbeat_trees.hpp"
#include "tests/support.hpp"

namespace tallcache::test {
namespace {

struct Unobserved : ForkObserver {
  void fork() override {}
  void second() override {}
  void join() override {}
};

/// program(fork) under each policy.
template <class Program>
void under_each_policy(Program program) {
  const auto named = [&](const char* policy, auto& fork) {
    SCOPED_TRACE(policy);
    program(fork);
  };
  Serial serial;
  named("Serial", serial);
  for (const int threads : thread_counts()) {
    Heartbeat heartbeat{threads};
    named("Heartbeat", heartbeat);
    in_arena(threads, [&] {
      OneTbb tasks{threads};
      named("OneTbb", tasks);
    });
    WorkSpan<Nanoseconds> profiler({.threads = threads});
    profiler.profile([&] { named("WorkSpan", profiler); });
  }
  Unobserved observer;
  const Recorded recorded(observer, 4);
  named("Recorded", recorded);
  AnyFork any(recorded);
  named("AnyFork", any);
}

/// Scratch for the pieces, poisoned, and the memory in it.
struct Pieces {
  Pieces(std::size_t bytes, Index pieces)
      : room(LocalMemory<>::scratch(bytes, pieces) + 64, std::byte{0xa5}),
        scratch({room.data() + (64 - reinterpret_cast<std::uintptr_t>(room.data()) % 64), room.size() - 64}),
        memory(scratch, bytes, pieces) {}
  std::vector<std::byte> room;
  Scratch<> scratch;
  LocalMemory<> memory;
};

TEST(LocalMemory, IsAStrandsOwn) {
  const Impatience promoting;
  for (const std::size_t bytes : {0, 1, 63, 64, 65, 1000})
    for (const Index pieces : {1, 2, 16})
      under_each_policy([&](auto& fork) {
        const Pieces own(bytes, pieces);
        EXPECT_EQ(own.scratch.bytes_left(), 0u);
        std::atomic<int> changed{0}, done{0};
        fork.loop(0, 300, 1, [&](Index i) {
          if (random_up_to(1, static_cast<std::uint64_t>(i), 9) == 0) beat();
          const auto lease = own.memory.lease(fork);
          auto scratch = lease.scratch();
          const auto mine = scratch.template vector<std::uint8_t>(static_cast<Index>(bytes));
          const auto value = static_cast<std::uint8_t>(i);
          for (Index at = 0; at < mine.size; ++at) mine[at] = value;
          for (Index at = 0; at < mine.size; ++at) changed += mine[at] != value;
          ++done;
        });
        EXPECT_EQ(changed, 0);
        EXPECT_EQ(done, 300);
      });
  expect_nothing_left();
}

std::string error_of(const std::function<void()>& run) {
  try {
    run();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// Who waits at the join would run another strand, which needs the memory.
TEST(LocalMemory, IsNotKeptOverAFork) {
  const std::string forks = "a strand forks while it has a lease of working memory";
  under_each_policy([&](auto& fork) {
    using Fork = std::decay_t<decltype(fork)>;
    if (std::is_same_v<Fork, Serial> || (std::is_same_v<Fork, Heartbeat> && fork.width() == 1))
      return;  // they do not look
    const Pieces own(8, 2);
    for (int i = 0; i < 10; ++i) fork([] {}, [] {});  // then Heartbeat would not look at the next few
    EXPECT_EQ(error_of([&] {
                const auto lease = own.memory.lease(fork);
                fork([] {}, [] {});
              }),
              forks);
    EXPECT_EQ(error_of([&] {
                const auto lease = own.memory.lease(fork);
                fork.loop(0, 1000, 1, [](Index) {});
              }),
              forks);
    // In a strand that is not the first one, and nothing is left of it.
    EXPECT_EQ(error_of([&] {
                fork(
                    [&] {
                      const auto lease = own.memory.lease(fork);
                      fork([] {}, [] {});
                    },
                    [] {});
              }),
              forks);
    EXPECT_EQ(detail::held_leases, 0);
    int runs = 0;
    fork(
        [&] {
          const auto lease = own.memory.lease(fork);
          ++runs;
        },
        [] {});
    EXPECT_EQ(runs, 1);
  });
  expect_nothing_left();
}

// Also on one thread, where two branches of a fork never hold it at once.
TEST(LocalMemory, IsLeasedOnceByAStrand) {
  under_each_policy([&](auto& fork) {
    const Pieces own(8, 2), other(8, 2);
    EXPECT_EQ(error_of([&] {
                const auto lease = own.memory.lease(fork);
                const auto of_other = other.memory.lease(fork);
                const auto again = own.memory.lease(fork);
              }),
              "a strand that has a lease of working memory asks for another one");
    EXPECT_EQ(detail::held_leases, 0);
  });
}

TEST(LocalMemory, IsGivenBackOnAnException) {
  under_each_policy([&](auto& fork) {
    const Pieces own(8, 1);
    for (int times = 0; times < 3; ++times)
      EXPECT_THROW(fork.loop(0, 100, 1,
                             [&](Index i) {
                               const auto lease = own.memory.lease(fork);
                               if (i == 50) throw Thrown{1};
                             }),
                   Thrown);
  });
  expect_nothing_left();
}

TEST(LocalMemory, IsStatedBeforehand) {
  EXPECT_EQ(LocalMemory<>::scratch(100, 3), 3u * (64 + 128));
  std::vector<std::byte> room(LocalMemory<>::scratch(100, 3));
  Scratch<> less({room.data(), room.size() - 1});
  EXPECT_THROW(LocalMemory<>(less, 100, 3), Error);
  EXPECT_THROW(LocalMemory<>::scratch(~std::size_t{0}, 1), Error);
  EXPECT_THROW(LocalMemory<>::scratch(~std::size_t{0} / 2, 4), Error);
}

}  // namespace
}  // namespace tallcache::test
