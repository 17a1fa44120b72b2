// The heartbeat policy: what it promotes and when, from several callers, and inside other arenas.
#include <gtest/gtest.h>
#include <oneapi/tbb/task_scheduler_observer.h>

#include <array>
#include <atomic>
#include <chrono>
#include <deque>
#include <thread>
#include <vector>

#include "common/fork/heartbeat.hpp"
#include "common/fork/one_tbb.hpp"
#include "common/ops/copy.hpp"
#include "common/random.hpp"
#include "common/variant_text.hpp"
#include "tests/heartbeat_trees.hpp"
#include "tests/support.hpp"

namespace tallcache::test {
namespace {

TEST(Heartbeat, EveryIterationRunsOnce) {
  const Impatience promoting;
  for (int threads : thread_counts())
    for (Index size : {0, 1, 2, 3, 7, 8, 9, 64, 1000, 30000})
      for (Index step : {1, 3, 64}) {
        std::vector<std::atomic<int>> seen(static_cast<std::size_t>(size));
        Heartbeat{threads}.loop(0, size, step, [&](Index i) {
          if (random_up_to(1, static_cast<std::uint64_t>(i), 9) == 0) beat();
          ++seen.at(static_cast<std::size_t>(i));
        });
        for (Index i = 0; i < size; ++i)
          ASSERT_EQ(seen[static_cast<std::size_t>(i)], i % step == 0)
              << i << " of " << size << " by " << step;
      }
  Heartbeat{1}.loop(5, 3, 1, [](Index) { FAIL(); });
}

TEST(Heartbeat, BlocksRunAtOnce) {
  for (int threads : thread_counts()) {
    for (Index count : {0, 1, 2, 3, 16, 17}) {
      std::vector<std::atomic<int>> seen(static_cast<std::size_t>(count));
      Heartbeat{threads}.blocks(count, [&](Index b) { ++seen.at(static_cast<std::size_t>(b)); });
      for (const auto& times : seen) ASSERT_EQ(times, 1) << count << " blocks on " << threads;
    }
    std::atomic<int> begun{0};
    // No fork polls.
    Heartbeat{threads}.blocks(threads, [&](Index) {
      ++begun;
      while (begun < threads) std::this_thread::yield();
    });
    EXPECT_THROW(Heartbeat{threads}.blocks(5, [](Index b) { throw Thrown{static_cast<std::uint64_t>(b)}; }),
                 Thrown);
  }
  expect_nothing_left();
}

// The number of latent forks of this thread.
int latent_forks() {
  int count = 0;
  for (const detail::Latent* fork = detail::latent_list.newest; fork; fork = fork->older) ++count;
  return count;
}

void fork_once(const Heartbeat& fork) {
  fork([] {}, [] {});
}

TEST(Heartbeat, PromotesTheOldestFork) {
  if (usable_threads() < 2) GTEST_SKIP() << "needs 2 processors";
  const Heartbeat fork{2};
  std::array<int, 4> runs{};
  fork(
      [&] {
        fork(
            [&] {
              const detail::Latent* const inner = detail::latent_list.newest;
              const int before = latent_forks();  // 2, less where the time came in between
              const Impatience promoting;
              beat();
              fork_once(fork);
              EXPECT_LT(latent_forks(), std::max(before, 1));
              EXPECT_TRUE(latent_forks() == 0 || detail::latent_list.newest == inner);
              ++runs[0];
            },
            [&] { ++runs[1]; });
        ++runs[2];
      },
      [&] { ++runs[3]; });
  EXPECT_EQ(runs, (std::array{1, 1, 1, 1}));
  expect_nothing_left();
}

// A list of its own under random additions, pops and departures of the oldest. No push, as that polls.
TEST(Heartbeat, FindsTheOldestFork) {
  const auto offers = [](detail::Latent&) { return detail::Offered::nothing; };
  detail::LatentList list;
  std::deque<detail::Latent> forks;  // from the oldest on
  for (std::uint64_t step = 0; step < 100'000; ++step) {
    const std::uint64_t drawn = random_up_to(1, step, 9 + step % 7);
    if (forks.empty() || drawn < 6) {
      detail::Latent& fork = forks.emplace_back(offers, 2);
      fork.older = list.newest;
      list.newest = &fork;
    } else if (drawn < 11) {
      ASSERT_TRUE(list.pop(forks.back()));
      forks.pop_back();
    } else {
      list.find_oldest(0);
      ASSERT_EQ(list.oldest, &forks.front()) << step;
      for (std::size_t i = 0; i + 1 < forks.size(); ++i) ASSERT_EQ(forks[i].newer, &forks[i + 1]) << step;
      list.remove_oldest();
      forks.pop_front();
    }
    ASSERT_EQ(list.newest, forks.empty() ? nullptr : &forks.back()) << step;
  }
}

TEST(Heartbeat, StaysWithinAnArenaOfOneThread) {
  if (usable_threads() < 2) GTEST_SKIP() << "needs 2 processors";
  const Impatience promoting;
  in_arena(1, [] {
    const std::thread::id caller = std::this_thread::get_id();
    const Heartbeat fork{2};
    fork.loop(0, 1000, 1, [&](Index) {
      beat();
      fork([&] { EXPECT_EQ(std::this_thread::get_id(), caller); },
           [&] { EXPECT_EQ(std::this_thread::get_id(), caller); });
    });
  });
  expect_nothing_left();
}

// Branches that wait for each other: they end only when as many threads run them.
TEST(Heartbeat, UsesAllThreads) {
  const int threads = std::min(usable_threads(), 4);
  std::atomic<int> begun{0};
  Heartbeat fork{threads};
  const auto meet = [&] {
    ++begun;
    while (begun < threads) fork_once(fork);
  };
  const auto branches = [&](auto& self, int count) -> void {
    if (count == 1) return meet();
    fork(meet, [&] { self(self, count - 1); });
  };
  branches(branches, threads);
  begun = 0;
  fork.loop(0, threads, 1, [&](Index) { meet(); });
  EXPECT_EQ(begun, threads);
}

// Time alone promotes, where the workers are awake and where they have gone to sleep.
TEST(Heartbeat, ComesByItself) {
  if (usable_threads() < 2) GTEST_SKIP() << "needs 2 processors";
  for (int pause_ms : {0, 20}) {
    std::this_thread::sleep_for(std::chrono::milliseconds(pause_ms));
    std::atomic<bool> reached{false};
    Heartbeat fork{2};
    fork(
        [&] {
          while (!reached) fork_once(fork);
        },
        [&] { reached = true; });
    EXPECT_TRUE(reached);
  }
}

// The second branch runs while the first one neither forks nor polls. The call may come anywhere, and under
// any policy.
TEST(Heartbeat, PromotesTheFirstForkOfALongProgram) {
  if (usable_threads() < 2) GTEST_SKIP() << "needs 2 processors";
  Heartbeat fork{2};
  expect_work(fork, 1'000'000);
  std::atomic<bool> reached{false};
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  bool in_time = false;
  fork(
      [&] {
        while (!reached && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
        in_time = reached;
      },
      [&] { reached = true; });
  EXPECT_TRUE(in_time);
  fork([&] { expect_work(fork, 1'000'000); }, [] {});
  Heartbeat{1}.expect_work(1'000'000);
  expect_work(Serial{}, 1'000'000);
  expect_nothing_left();
}

struct Telling {
  static constexpr std::string_view idea = "tells of its last phase", source = "";
  using operations = OperationList<Copy<float>>;
  static constexpr PhaseSpec phases[] = {{"first"}, {"last"}};
  static constexpr bool parallel = true;
  static constexpr double ns_per_unit = 1e6;
  static inline detail::Time foretold[2];

  template <int phase, class Fork, class Args>
  static void run(Fork&, const Args&, const Params&) {
    foretold[phase] = detail::latent_list.state.foretold(detail::time_now());
  }
};

TEST(Heartbeat, IsToldOfAVariantsWork) {
  if (usable_threads() < 2) GTEST_SKIP() << "needs 2 processors";
  std::vector<float> from(6), to(6);
  const Copy<float>::Args<> args{{to.data(), 2, 3, 3}, {from.data(), 2, 3, 3}};
  static constexpr auto records = variant_records<Telling>("telling", "cpu", false);
  for (Entry entry : records[0].entries) entry(&args, {}, {.threads = 2});
  EXPECT_EQ(Telling::foretold[0], 0);
  EXPECT_GT(Telling::foretold[1], 24'000'000);  // of 48 bytes
  EXPECT_LE(Telling::foretold[1], 48'000'000);
}

// A loop is seen to be long by its first iterations. The caller does not poll after these.
TEST(Heartbeat, PromotesTheRestOfALongLoop) {
  if (usable_threads() < 2) GTEST_SKIP() << "needs 2 processors";
  const auto now = [] { return std::chrono::steady_clock::now(); };
  const auto deadline = now() + std::chrono::seconds(20);
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<bool> elsewhere{false}, in_time{false};
  // Threads that are awake would call, and to make an arena takes as long as a program that is shared.
  arena_of(2);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  Heartbeat{2}.loop(0, 10000, 1, [&](Index i) {
    if (std::this_thread::get_id() != caller) {
      elsewhere = true;
    } else if (i < 7) {
      for (const auto end = now() + std::chrono::microseconds(3); now() < end;) continue;
    } else {
      while (!elsewhere && now() < deadline) std::this_thread::yield();
      in_time = elsewhere.load();
    }
  });
  EXPECT_TRUE(in_time);
  expect_nothing_left();
}

TEST(Heartbeat, SeveralCallersAndNestedArenas) {
  const Impatience promoting;
  const int all = std::min(usable_threads(), 2);
  const auto many = [&](std::uint64_t first) {
    for (std::uint64_t seed = first; seed < first + 200; ++seed) {
      const Tree tree{seed, 6, 3, seed % 3 == 0 ? 60u : 0u, false};
      const auto expected = outcome(tree, Serial{});
      EXPECT_EQ(outcome(tree, Heartbeat{all}), expected);
      // Inside oneTBB's own forks, and with an arena of another size inside.
      in_arena(all, [&] {
        OneTbb{all}([&] { EXPECT_EQ(outcome(tree, Heartbeat{1}), expected); },
                    [&] { EXPECT_EQ(outcome(tree, Heartbeat{all}), expected); });
      });
      Heartbeat outer{all};
      outer(
          [&] {
            beat();
            EXPECT_EQ(outcome(tree, Heartbeat{1}), expected);
          },
          [&] { in_arena(1, [&] { EXPECT_EQ(outcome(tree, Heartbeat{all}), expected); }); });
    }
    expect_nothing_left();
  };
  std::thread other([&] { many(10000); });
  many(0);
  other.join();
}

class Entries final : public tbb::task_scheduler_observer {
 public:
  explicit Entries(tbb::task_arena& arena) : task_scheduler_observer(arena) { observe(true); }
  ~Entries() override { observe(false); }
  void on_scheduler_entry(bool) override { ++count; }
  static inline std::atomic<int> count = 0;
};

TEST(Heartbeat, EntersNoArenaInAShortProgram) {
  if (usable_threads() < 2) GTEST_SKIP() << "needs 2 processors";
  const Entries entries(arena_of(2));
  const Tree without{1, 3}, with{1, 5, 1};
  int quiet = 0;
  for (int i = 0; i < 200; ++i) {
    const int before = Entries::count;
    outcome(without, Heartbeat{2});
    quiet += Entries::count == before;  // the time may come in between
  }
  EXPECT_GT(quiet, 0);
  const Impatience promoting;
  const int before = Entries::count;
  for (int i = 0; i < 20; ++i) outcome(with, Heartbeat{2});
  EXPECT_GT(Entries::count, before);
}

TEST(Heartbeat, RefusesThreadsThatTheMachineDoesNotHave) {
  expect_error([] { Heartbeat{0}; }, "threads: 0 asked");
  expect_error([] { Heartbeat{usable_threads() + 1}; }, "asked");
}

}  // namespace
}  // namespace tallcache::test
