// Heartbeat scheduling (Acar, Charguéraud, Guatto, Rainey, Sieczkowski, "Heartbeat scheduling: provable
// efficiency for nested parallelism", PLDI 2018, pages 769-782) on oneTBB's arenas, with promotions on demand
// (Acar, Charguéraud, Rainey, "Scheduling parallel programs by work stealing with private deques", PPoPP
// 2013, pages 219-228). A fork costs a few nanoseconds, so that a program needs no grain: it forks down to
// its smallest pieces.
//
// A fork is latent at first: a record on the stack, in a list of its thread. The thread runs the first
// branch, takes the record off the list and runs the second one. Now and then a thread polls: it turns the
// oldest latent forks of its list into tasks of oneTBB, which other threads may take, where decide() of
// decide.hpp says so: one for each thread that has nothing to do, at least one. Of a loop it turns the second
// half of the remaining iterations into a task. A short program enters no arena. One of which it is
// foretold that it is long is shared from its first fork on, and a loop from its first iterations, as these
// tell how long the others will take.
//
// A thread polls when the number of forks since its last poll has come to a count that it adapts, so that it
// polls every few microseconds, in a program that begins at forks 1, 3, 7, 15 ... Nothing interrupts a
// strand: a thread that runs a long one shares nothing until its end, and therefore offers tasks before
// anybody is idle.
//
// Let a program have work W and span S, the latent forks included. A promotion costs t, and a fork must have
// been latent for the time N of decide() before. The paper proves a work of at most (1 + t / N) W and a span
// of at most (1 + N / t) S for one promotion in N, where each fork on the path counts t, and for strands that
// are shorter than N. Here several forks of a thread may be promoted in N, but of all threads' one alone is
// not for a thread that has nothing to do.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <type_traits>

#include "common/fork/decide.hpp"
#include "common/fork/fork.hpp"

namespace tallcache {
namespace detail {

struct ArenaState;  // an arena and what its threads do; one_tbb.hpp
struct Promoted;    // the tasks of a fork or a loop; heartbeat.cpp

/// How much of a latent fork or loop has become a task.
enum class Offered { nothing, a_part, all };

inline Time time_now() {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// A latent fork or loop, in the list of its thread.
struct Latent {
  Latent(Offered (*offer_tasks)(Latent&), int of_threads) : offer(offer_tasks), threads(of_threads) {}

  /// Makes a task by spawn(), and throws what that throws. Nothing is left where it offers nothing.
  Offered (*const offer)(Latent&);
  const int threads;
  Latent* older;            ///< null: none
  Latent* newer = nullptr;  ///< null: not known yet; LatentList::find_oldest()
  Time seen;                ///< where `newer` is known: when a poll found it first
  Promoted* promoted;       ///< of a fork: set where that is no longer latent
};

/// The latent forks of a thread; while it is in another arena, those that it made there. The oldest is
/// promoted first, so that a thread that waits for a task has none left, except around blocks().
struct LatentList {
  Latent* newest = nullptr;
  ForkState state;
  Latent* oldest = nullptr;     ///< of those whose `newer` is known
  ArenaState* arena = nullptr;  ///< the innermost one of arena_of() that the thread is in

  /// Removes the newest, which is `latent` unless that was promoted. Returns whether it was there.
  bool pop(const Latent& latent) {
    if (newest != &latent) [[unlikely]]
      return false;
    newest = latent.older;
    return true;
  }

  /// Sets `oldest`, and `newer` of all forks but the newest, whose own is not null either. Where that of a
  /// fork is known, so are those of all older ones, which each call therefore meets only once. Requires a
  /// newest.
  void find_oldest(Time now);
  /// After find_oldest().
  void remove_oldest();
};

inline constinit thread_local LatentList latent_list;

/// For tests: every poll promotes.
inline constinit std::atomic<bool> promote_always{false};

/// Polls, which sets the count of forks until the next poll. Throws Error as require_no_lease() does, where
/// the newest of the list is no longer there.
void poll(LatentList&);

/// Promotes the oldest latent forks of this thread as decide() says. Without memory or threads they stay
/// latent.
void promote_in_time(LatentList&, Time now) noexcept;

inline void poll_if_due(LatentList& list) {
  if (--list.state.until_poll == 0) [[unlikely]]  // the flags of a decrement in memory say so
    poll(list);
}

inline void push(LatentList& list, Latent& latent) {
  latent.older = list.newest;
  list.newest = &latent;
  poll_if_due(list);
}

/// Promotes all of a fork or loop that is left, where others may take it.
void promote_now(LatentList&, Latent&) noexcept;

/// Starts run(data, begin, end) as a task of `latent`. Throws std::bad_alloc, and Error without such an
/// arena.
void spawn(Latent& latent, void (*run)(void* data, Index begin, Index end), void* data, Index begin,
           Index end);

/// Waits for the tasks of `latent` and throws the first exception of theirs.
void join(Latent& latent);

/// Joins the tasks of `latent` on an exception of its own branch: those that have not begun are left out, the
/// exceptions of the others are lost.
void abandon(Latent&) noexcept;

/// `G` is what the fork was called with. Of a small temporary the task gets a copy: where nobody has the
/// address of the temporary, the compiler keeps its members in registers. Any other is referred to.
template <class G>
struct LatentFork : Latent {
  static constexpr bool copies =
      std::is_trivially_copyable_v<G> && std::is_copy_constructible_v<G> && sizeof(G) <= 64;

  LatentFork(int threads, std::remove_reference_t<G>& second)
      : Latent(&LatentFork::offer_branch, threads), g(second) {}

  static Offered offer_branch(Latent& latent) {
    latent.promoted = nullptr;
    spawn(
        latent, [](void* self, Index, Index) { static_cast<LatentFork*>(self)->g(); },
        &static_cast<LatentFork&>(latent), 0, 0);
    return Offered::all;
  }

  std::conditional_t<copies, G, std::remove_reference_t<G>&> g;
};

template <class Body>
struct LatentLoop : Latent {
  LatentLoop(int threads, bool of_blocks, Index begin, Index count, Index loop_step, Body& loop_body)
      : Latent(&LatentLoop::offer_half, threads),
        blocks(of_blocks),
        next(begin),
        left(count),
        step(loop_step),
        body(&loop_body) {
    promoted = nullptr;
  }

  static Offered offer_half(Latent& latent) {
    auto& loop = static_cast<LatentLoop&>(latent);
    const Index kept = loop.left / 2, half = loop.left - kept;
    const bool always = promote_always.load(std::memory_order_relaxed);
    if (half == 0 || (half < loop.worthwhile.load(std::memory_order_relaxed) && !always))
      return Offered::nothing;
    spawn(
        latent,
        [](void* self, Index begin, Index count) {
          const auto& whole = *static_cast<const LatentLoop*>(self);
          LatentLoop part(whole.threads, whole.blocks, begin, count, whole.step, *whole.body);
          part.worthwhile = whole.worthwhile.load(std::memory_order_relaxed);
          part.run(latent_list);
        },
        &loop, loop.next + kept * loop.step, half);
    loop.left = kept;
    return Offered::a_part;
  }

  void run(LatentList& list) {
    if (threads == 1 || left == 1) return run_piece(claim(left));
    Piece piece = claim(1);
    push(list, *this);
    try {
      if (blocks)
        run_blocks(list, piece);
      else
        run_pieces(list, piece);
    } catch (...) {
      list.pop(*this);
      if (promoted) abandon(*this);
      throw;
    }
    list.pop(*this);
    if (promoted) [[unlikely]]
      join(*this);
  }

 private:
  struct Piece {
    Index begin, end;
  };

  // Takes iterations that this thread runs next, before others are offered.
  Piece claim(Index count) {
    const Index begin = next;
    next += count * step;
    left -= count;
    return {begin, next};
  }

  // Not part of the loops below, whose variables would take the registers of the body's own loops. A known
  // step leaves the compiler the addresses of a short body.
  [[gnu::noinline]] void run_piece(Piece piece) {
    if (step == 1)
      for (Index i = piece.begin; i < piece.end; ++i) (*body)(i);
    else
      for (Index i = piece.begin; i < piece.end; i += step) (*body)(i);
  }

  void run_blocks(LatentList& list, Piece piece) {
    if (left > 0) promote_now(list, *this);
    run_piece(piece);
    while (left > 0) run_piece(claim(1));
  }

  // The first iterations are single ones, at which the thread polls as at forks, and are timed together: a
  // clock takes as long as many a body. The others of a longer loop go in pieces that take as long as it is
  // from one poll to the next.
  void run_pieces(LatentList& list, Piece piece) {
    Time before = left >= several ? time_now() : 0;
    run_piece(piece);
    Index done = 1;
    for (; done < several && left > 0; ++done) {
      piece = claim(1);
      poll_if_due(list);
      if (before) expect_rest(list, list.state.polled, list.state.polled - before, done);
      run_piece(piece);
    }
    while (left > 0) {
      const Time now = time_now(), taken = std::max<Time>(1, now - before);
      before = now;
      expect_rest(list, now, taken, done);
      worthwhile.store(std::max<Index>(1, done * promotion / taken), std::memory_order_relaxed);
      promote_in_time(list, now);
      if (left == 0) return;
      done = std::clamp<Index>(done * polling / taken, 1, std::min(left, several * done));
      run_piece(claim(done));
    }
  }

  // A loop knows how long it will take, where its iterations are alike. It need not wait as a fork does: the
  // outermost part of a program, `done` of whose iterations took `taken`, so long that the first ones' misses
  // do not count.
  void expect_rest(LatentList& list, Time now, Time taken, Index done) {
    if (taken < polling || list.newest != this || older) return;
    list.state.ends = now + static_cast<Time>(static_cast<double>(taken) / static_cast<double>(done) *
                                              static_cast<double>(left));
  }

  const bool blocks;  ///< each iteration is long: the others are promoted at once
  Index next, left;   ///< the iterations that nobody has begun
  const Index step;
  Body* const body;
  std::atomic<Index> worthwhile{1};  ///< iterations that take as long as it pays to make a task of
};

}  // namespace detail

/// Requires no arena. Tasks go to the arena that the thread is in (in_arena, or a task of this policy),
/// whatever its number of threads; to that of `threads` threads where it is in none, and the thread enters
/// that only to wait. On one thread it is the serial elision. The blocks of blocks() are tasks at once.
///
///   Heartbeat fork{8};
///   fork([&] { x = fib(fork, n - 1); }, [&] { y = fib(fork, n - 2); });
class Heartbeat {
 public:
  /// `threads` including the caller. Throws Error as require_threads does. The program takes `foretold`
  /// nanoseconds on one thread, as by expect_work().
  explicit Heartbeat(int threads = 1, Index foretold = 0);

  // Inlined: else both branches are built in memory for the call, and a fork takes twice as long.
  template <class F, class G>
  [[gnu::always_inline]] void operator()(F&& f, G&& g) const {
    detail::LatentList& list = detail::latent_list;
    detail::LatentFork<G> second(threads_, g);
    if (threads_ > 1) [[likely]]
      detail::push(list, second);
    try {
      f();
    } catch (...) {
      if (threads_ > 1 && !list.pop(second)) detail::abandon(second);
      throw;
    }
    if (threads_ > 1) [[likely]]
      if (!list.pop(second)) [[unlikely]]
        return detail::join(second);
    g();
  }

  template <class F, class G>
  void adding(F&& f, G&& g) const {
    f();
    g();
  }

  template <class Body>
  void loop(Index begin, Index end, Index step, Body&& body) const {
    if (begin >= end) return;
    const Index count = iterations(begin, end, step);
    detail::LatentLoop<std::remove_reference_t<Body>>(threads_, false, begin, count, step, body)
        .run(detail::latent_list);
  }

  template <class Body>
  void blocks(Index count, Body&& body) const {
    if (count > 0)
      detail::LatentLoop<std::remove_reference_t<Body>>(threads_, true, 0, count, 1, body)
          .run(detail::latent_list);
  }

  /// Where what follows is worth sharing, the next forks are promoted at once, up to a task for each thread
  /// that has none. Of no effect while the thread has latent forks.
  void expect_work(Index nanoseconds) const;

  Index width() const { return threads_; }

 private:
  int threads_;
};

}  // namespace tallcache
