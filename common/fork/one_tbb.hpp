// The fork policy of oneTBB, and its arenas.
#pragma once

#include <oneapi/tbb/parallel_invoke.h>
#include <oneapi/tbb/task_arena.h>

#include <atomic>

#include "common/fork/floating_point_mode.hpp"
#include "common/fork/fork.hpp"
#include "common/fork/processors.hpp"

#if defined(__SANITIZE_THREAD__)
extern "C" void __tsan_acquire(void*);
extern "C" void __tsan_release(void*);
#endif

namespace tallcache {

/// Sets whether threads that enter an arena from now on are pinned, each to a processor of its own (the
/// default) among those that the last program found usable. A caller that leaves gets its earlier processors
/// back, but for what the host has set in the meantime; a worker keeps its own, in which it sleeps.
void pin_threads(bool pin);

/// The arena of `threads` threads, including the caller. It is made once and kept, so that its workers stay
/// awake from one run to the next. What is executed in it directly runs in the default floating-point mode,
/// whoever calls; in_arena() keeps the caller's. Throws Error as require_threads does.
tbb::task_arena& arena_of(int threads);

namespace detail {
// oneTBB's own library is not compiled with the thread sanitizer, which therefore does not see that a fork
// comes before its branches and that these come before its end. HappensBefore tells it. The closures below
// and oneTBB's tasks are read earlier than that: the closures are not sanitized, the tasks are suppressed
// in one_tbb.cpp.
struct HappensBefore {
#if defined(__SANITIZE_THREAD__)
  HappensBefore() { fork(); }
  ~HappensBefore() { __tsan_acquire(&joined); }  // on the way out of an exception too
  struct Join {
    HappensBefore& order;
    ~Join() { __tsan_release(&order.joined); }
  };
  void fork() { __tsan_release(&forked); }  // once more
  template <class Body>
  void branch(Body& body) {
    __tsan_acquire(&forked);
    const Join join{*this};
    body();
  }
  char forked = 0, joined = 0;
#else
  void fork() {}
  template <class Body>
  void branch(Body& body) {
    body();
  }
#endif
};

/// Whether the thread enters an arena by pass_through().
inline constinit thread_local bool passing = false;

/// Runs `body` inside an arena, in the arena's floating-point mode. Where that is full, one of its threads
/// does it.
template <class Body>
void enter(tbb::task_arena& arena, Body&& body) {
  const KeptExceptions kept;
  HappensBefore order;
  arena.execute([&]() __attribute__((no_sanitize_thread)) { order.branch(body); });
}

/// The same in the floating-point mode of this thread, for `body` and all tasks that it makes.
template <class Body>
void enter_in_own_mode(tbb::task_arena& arena, Body&& body) {
  ContextOfMode context;  // before the arena's mode is set
  tbb::task_group group(context);
  enter(
      arena, [&]() __attribute__((no_sanitize_thread)) { group.run_and_wait([&body] { body(); }); });
}

/// An arena of arena_of(), and what its threads do. A count may be off for a moment.
struct ArenaState {
  explicit ArenaState(int max_threads) : threads(max_threads), arena(max_threads) {}

  const int threads;  ///< at most, including a caller
  tbb::task_arena arena;
  alignas(64) std::atomic<int> idle{0};  ///< without a task: workers in the arena, and callers that wait
  std::atomic<int> offered{0};           ///< tasks of promoted forks that have not begun

  /// Counts one more task as offered, where there are less than `limit`. Returns whether.
  bool claim(int limit);
};

/// The one of arena_of(threads), whatever the mask is now: a program goes on in the arena in which it began.
ArenaState& arena_state(int threads);

/// Runs a short `body`, or one that waits, inside the arena. It does not pin a caller that is on the right
/// processor, as that takes longer than such a body.
template <class Body>
void pass_through(ArenaState& state, Body&& body) {
  // Where another thread runs the body, nothing but the guard clears this thread's own flag.
  struct Passing {
    Passing() { passing = true; }
    ~Passing() { passing = false; }
  } const until_return;
  enter(state.arena, [&] {
    passing = false;
    body();
  });
}
}  // namespace detail

/// Runs `body` on the calling thread inside the arena; where other callers fill the arena, on a thread of
/// theirs. Either runs it, and its tasks, in the caller's floating-point mode (fork.hpp).
template <class Body>
void in_arena(tbb::task_arena& arena, Body&& body) {
  detail::enter_in_own_mode(arena, body);
}

/// The same in the arena of `threads` threads.
template <class Body>
void in_arena(int threads, Body&& body) {
  in_arena(arena_of(threads), body);
}

/// Requires an arena of `threads` threads (in_arena).
struct OneTbb : ForksByHalves<OneTbb> {
  int threads;

  constexpr OneTbb(int max_threads = 1) : threads(max_threads) {}

  template <class F, class G>
  void operator()(F&& f, G&& g) const {
    detail::require_no_lease();
    detail::HappensBefore order;
    // parallel_invoke runs its last argument on this thread and offers the first one to thieves. In this
    // order a thread executes the program as the serial elision does.
    tbb::parallel_invoke(
        [&]() __attribute__((no_sanitize_thread)) { order.branch(g); },
        [&]() __attribute__((no_sanitize_thread)) { order.branch(f); });
  }

  /// Cilk's: an eighth of a thread's share of the iterations, so that stealing can balance the load.
  Index grain(Index count) const { return std::max<Index>(1, count / (8 * threads)); }
  Index width() const { return threads; }
};

}  // namespace tallcache
