#include "common/fork/heartbeat.hpp"

#include <oneapi/tbb/task_group.h>

#include <limits>
#include <memory>
#include <thread>

#include "common/fork/one_tbb.hpp"

namespace tallcache {
namespace detail {

struct Promoted {
  explicit Promoted(ArenaState& of_tasks) : arena(of_tasks) {}

  ArenaState& arena;
  std::atomic<int> waiting{0};     // tasks that have not begun
  std::atomic<int> unfinished{0};  // tasks, those that a cancellation leaves out until they are destroyed
  ContextOfMode context;           // of the thread that makes the first task, which is the program's
  tbb::task_group group{context};
  HappensBefore order;

  // Counts a task as unfinished for as long as it or a copy of it lives.
  struct Unfinished {
    explicit Unfinished(Promoted& of) : promoted(of) { ++promoted.unfinished; }
    Unfinished(const Unfinished& other) : Unfinished(other.promoted) {}
    ~Unfinished() {
      const auto end = [this] { --promoted.unfinished; };
      promoted.order.branch(end);
    }
    Promoted& promoted;
  };

  // A task that runs. What the closure holds is read by the closure, which is not sanitized.
  struct Running {
    Running(Promoted& promoted, Time foretold, int short_strands) : arena(promoted.arena) {
      --promoted.waiting;
      --arena.offered;
      --arena.idle;
      const Time now = time_now();
      latent_list.state = {.polled = now, .ends = now + foretold, .short_strands = short_strands};
    }
    ~Running() { ++arena.idle; }
    ArenaState& arena;
  };
};

static ArenaState& arena_of(const LatentList& list, const Latent& latent) {
  return list.arena ? *list.arena : arena_state(latent.threads);
}

// After a claim() of the arena.
void spawn(Latent& latent, void (*run)(void*, Index, Index), void* data, Index begin, Index end) {
  std::unique_ptr<Promoted> made;
  if (!latent.promoted) made = std::make_unique<Promoted>(arena_of(latent_list, latent));
  Promoted& promoted = latent.promoted ? *latent.promoted : *made;
  promoted.order.fork();
  ForkState& state = latent_list.state;
  const auto task = [
    run, data, begin, end, &promoted, foretold = state.promote(state.polled),
    short_strands = state.short_strands, unfinished = Promoted::Unfinished(promoted)
  ]() __attribute__((no_sanitize_thread)) {
    const auto body = [&]() __attribute__((no_sanitize_thread)) {
      const Promoted::Running running(promoted, foretold, short_strands);
      run(data, begin, end);
    };
    promoted.order.branch(body);
  };
  ++promoted.waiting;
  try {
    pass_through(promoted.arena, [&] { promoted.group.run(task); });
  } catch (...) {
    --promoted.waiting;
    throw;
  }
  if (made) latent.promoted = made.release();
}

void join(Latent& latent) {
  latent_list.state.end_strand(time_now());
  const std::unique_ptr<Promoted> promoted(latent.promoted);
  ArenaState& arena = promoted->arena;
  struct Idle {
    explicit Idle(ArenaState& of) : arena(of) { ++arena.idle; }
    ~Idle() { --arena.idle; }
    ArenaState& arena;
  };
  struct Left {
    Promoted& promoted;
    ~Left() { promoted.arena.offered -= promoted.waiting; }  // by a cancellation
  } const left{*promoted};
  // Where the arena is full one of its threads runs this. It does not wait: of the tasks that are waited for
  // one may be suspended on its own stack.
  const auto caller = std::this_thread::get_id();
  for (bool waited = false; !waited;) {
    pass_through(arena, [&] {
      if (std::this_thread::get_id() != caller && promoted->unfinished > 0) return;
      waited = true;
      const Idle idle(arena);
      promoted->group.wait();
    });
    if (!waited) std::this_thread::yield();
  }
  latent_list.state.polled = time_now();  // waiting does not count as a strand
}

void abandon(Latent& latent) noexcept {
  latent.promoted->group.cancel();
  try {
    join(latent);
  } catch (...) {  // the branch's own exception goes on
  }
}

// Whether others may take a task. A thread in an arena that is not of arena_of() is not known to have any.
static bool has_workers(const LatentList& list) {
  return !list.arena ||
         (list.arena->threads > 1 && list.arena->threads == tbb::this_task_arena::max_concurrency());
}

// Makes a task of `latent`, which its arena has counted (ArenaState::claim).
static Offered offer_claimed(ArenaState& arena, Latent& latent) {
  struct Claim {
    ArenaState& arena;
    Offered offered = Offered::nothing;
    ~Claim() { arena.offered -= offered == Offered::nothing; }
  } claim{arena};
  return claim.offered = latent.offer(latent);
}

void promote_now(LatentList& list, Latent& latent) noexcept {
  if (!has_workers(list)) return;
  try {
    ArenaState& arena = arena_of(list, latent);
    do ++arena.offered;
    while (offer_claimed(arena, latent) == Offered::a_part);
  } catch (...) {
  }
}

void LatentList::find_oldest(Time now) {
  Latent* before = newest;
  for (Latent* fork = newest;; before = fork, fork = fork->older) {
    const bool known = fork->newer;
    if (!known) fork->seen = now;
    fork->newer = before;
    if (!fork->older) oldest = fork;
    if (known || !fork->older) return;
  }
}

void LatentList::remove_oldest() {
  if (oldest == newest) {
    newest = nullptr;
  } else {
    oldest = oldest->newer;
    oldest->older = nullptr;
  }
}

void promote_in_time(LatentList& list, Time now) noexcept {
  list.state.polled = now;
  const bool always = promote_always.load(std::memory_order_relaxed);
  // A short program makes no arena.
  if (!list.newest || (list.state.work(now) < sharing && !always) || !has_workers(list)) return;
  list.find_oldest(now);
  try {
    while (list.newest) {
      Latent& oldest = *list.oldest;
      ArenaState& arena = arena_of(list, oldest);
      const Situation situation{list.state, oldest.seen, oldest.threads, arena.idle};
      if (!arena.claim(always ? std::numeric_limits<int>::max() : decide(situation, now))) return;
      const Offered offered = offer_claimed(arena, oldest);
      if (offered != Offered::a_part) list.remove_oldest();
      if (always && offered != Offered::nothing) return;
    }
  } catch (...) {
  }
}

void poll(LatentList& list) {
  if (held_leases > 0) [[unlikely]]
    list.newest = list.newest->older;
  require_no_lease();
  const Time now = time_now();
  list.state.poll(now);
  promote_in_time(list, now);
}

}  // namespace detail

Heartbeat::Heartbeat(int threads, Index foretold) : threads_(threads) {
  require_threads(threads);
  // A program begins. What went before it is no reason for a promotion, what it does until its first fork is.
  if (detail::LatentList& list = detail::latent_list; threads > 1 && !list.newest) {
    const detail::Time now = detail::time_now();
    list.state = {.polled = now, .begun = now, .ends = now + foretold};
  }
}

void Heartbeat::expect_work(Index nanoseconds) const {
  detail::LatentList& list = detail::latent_list;
  if (threads_ > 1 && !list.newest) list.state.expect(detail::time_now(), nanoseconds);
}

}  // namespace tallcache
