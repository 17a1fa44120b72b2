// An arena that its callers keep full: what a further caller does there, one of their threads does.
#include <gtest/gtest.h>
#include <oneapi/tbb/task_group.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

#include "common/fork/heartbeat.hpp"
#include "common/fork/one_tbb.hpp"
#include "tests/heartbeat_trees.hpp"
#include "tests/support.hpp"

namespace tallcache::test {
namespace {

/// A wait in which a thread runs the tasks of its arena, until any thread ends it.
class Wait {
 public:
  void until_ended() { group_.wait(); }
  void end() { task_ = {}; }

 private:
  tbb::task_group group_;
  tbb::task_handle task_ = group_.defer([] {});
};

/// Runs `body` in an arena, on this thread.
template <class Body>
void in_slot_of_own(tbb::task_arena& arena, Body&& body) {
  const auto entered = [&, caller = std::this_thread::get_id()] {
    bool here = false;
    detail::enter(arena, [&] {
      here = std::this_thread::get_id() == caller;
      if (here) body();
    });
    return here;
  };
  // A worker that is in the arena leaves when it has had nothing to do for a while.
  while (!entered()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

/// Two callers that fill an arena of two threads while this lives. The first runs tasks of the arena, the
/// other none.
class FullArena {
 public:
  explicit FullArena(tbb::task_arena& arena)
      : first_([&] { in_slot_of_own(arena, [this] { ++inside_, wait_.until_ended(); }); }), second_([&] {
          in_slot_of_own(arena, [this] {
            ++inside_;
            while (!end_) std::this_thread::yield();
          });
        }) {
    while (inside_ < 2) std::this_thread::yield();
  }
  ~FullArena() {
    wait_.end();
    end_ = true;
    first_.join();
    second_.join();
  }
  std::thread::id runs_tasks() const { return first_.get_id(); }

 private:
  Wait wait_;
  std::atomic<int> inside_{0};
  std::atomic<bool> end_{false};
  std::thread first_, second_;
};

TEST(PassThrough, ClearsItsFlagWhereAnotherThreadRunsTheBody) {
  detail::ArenaState state(2);
  std::thread::id ran;
  const auto body = [&] { ran = std::this_thread::get_id(); };
  {
    const FullArena full(state.arena);
    detail::pass_through(state, body);
    EXPECT_EQ(ran, full.runs_tasks());
    EXPECT_FALSE(detail::passing);
    EXPECT_THROW(detail::pass_through(state, [] { throw Thrown{1}; }), Thrown);
    EXPECT_FALSE(detail::passing);
  }
  in_slot_of_own(state.arena, [&] { detail::pass_through(state, body); });
  EXPECT_EQ(ran, std::this_thread::get_id());
  EXPECT_FALSE(detail::passing);
}

// The thread that runs the arena's tasks runs the second branch of a fork of this thread, which is outside.
// While that branch waits, in the arena, its thread also runs whatever this thread does in the arena to wait
// for the branch. Were that a wait for the branch, neither would end.
TEST(Heartbeat, NobodyWaitsOnTheStackOfTheTaskItWaitsFor) {
  if (usable_threads() < 2) GTEST_SKIP() << "needs 2 processors";
  const Impatience promoting;
  tbb::task_arena& arena = arena_of(2);
  const FullArena full(arena);
  Wait branch;
  // Ends the branch's wait after its thread has passed through the arena for another one, which clears the
  // flag.
  const std::function<void()> end_branch = [&] {
    if (detail::passing)
      arena.enqueue(end_branch);
    else
      branch.end();
  };
  std::thread::id ran;
  std::atomic<bool> begun{false};
  const Heartbeat fork{2};
  fork(
      [&] {
        while (!begun) std::this_thread::yield();
      },
      [&] {
        ran = std::this_thread::get_id();
        detail::passing = true;
        arena.enqueue(end_branch);
        begun = true;
        // From inside a task, oneTBB runs what is enqueued only where it enters anew.
        detail::enter(arena, [&] { branch.until_ended(); });
      });
  EXPECT_EQ(ran, full.runs_tasks());
  expect_nothing_left();
}

}  // namespace
}  // namespace tallcache::test
