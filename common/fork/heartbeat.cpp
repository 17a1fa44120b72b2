#include "common/fork/heartbeat.hpp"

#include <oneapi/tbb/task_group.h>

#include <memory>

#include "common/fork/one_tbb.hpp"

namespace tallcache {
namespace detail {
namespace {

// Nanoseconds. A promotion takes some hundreds of them, to wake a thread up to ten thousand.
constexpr Time heartbeat = 30'000, first_heartbeat = 100'000;  // the first: while the workers sleep
constexpr Time least_age = 5'000;                              // of a promotion before the next one
constexpr Time begins = 15'000;                                // a program: waits for so long in any case
constexpr Time between_looks = 2'000;
constexpr int most_between = 512;  // forks

}  // namespace

struct Promoted {
  explicit Promoted(Crew& of_tasks) : crew(of_tasks) {}

  Crew& crew;
  std::atomic<int> waiting{0};  // tasks that have not begun
  // Isolated, as a branch that an outer cancellation left out would leave its fork without a result.
  tbb::task_group_context context{tbb::task_group_context::isolated};
  tbb::task_group group{context};
  HappensBefore order;

  // A task that runs.
  struct Running {
    explicit Running(Promoted& promoted) : crew(promoted.crew) {
      --promoted.waiting;
      --crew.offered;
      --crew.idle;
      LatentList& list = latent_list;
      list.until_look = list.between = 1;
      list.looked = list.promoted = time_now();
    }
    ~Running() { crew.becomes_idle(); }
    Crew& crew;
  };
};

void spawn(Latent& latent, void (*run)(void*, Index, Index), void* data, Index begin, Index end) {
  std::unique_ptr<Promoted> made;
  if (!latent.promoted) {
    Crew* const inside = latent_list.crew;
    made = std::make_unique<Promoted>(inside ? *inside : crew_of(latent.threads));
  }
  Promoted& promoted = latent.promoted ? *latent.promoted : *made;
  promoted.order.fork();
  const auto task = [ run, data, begin, end, &promoted ]() __attribute__((no_sanitize_thread)) {
    const auto body = [ =, &promoted ]() __attribute__((no_sanitize_thread)) {
      const Promoted::Running running(promoted);
      run(data, begin, end);
    };
    promoted.order.branch(body);
  };
  ++promoted.waiting;
  ++promoted.crew.offered;
  try {
    pass_through(promoted.crew, [&] { promoted.group.run(task); });
  } catch (...) {
    --promoted.waiting;
    --promoted.crew.offered;
    throw;
  }
  if (made) latent.promoted = made.release();
}

void join(Latent& latent) {
  const std::unique_ptr<Promoted> promoted(latent.promoted);
  Crew& crew = promoted->crew;
  struct Idle {
    explicit Idle(Crew& of) : crew(of) { crew.becomes_idle(); }
    ~Idle() { --crew.idle; }
    Crew& crew;
  };
  struct Left {
    Promoted& promoted;
    ~Left() { promoted.crew.offered -= promoted.waiting; }  // by a cancellation
  } const left{*promoted};
  pass_through(crew, [&] {
    const Idle idle(crew);
    promoted->group.wait();
  });
}

void abandon(LatentList& list, Latent& latent) noexcept {
  list.pop(latent);
  if (!latent.promoted) return;
  latent.promoted->group.cancel();
  try {
    join(latent);
  } catch (...) {  // the branch's own exception goes on
  }
}

// Whether others may take a task. A thread in an arena that is not of arena_of() is not known to have any.
static bool has_workers(const LatentList& list) {
  if (!list.crew) return true;
  const int threads = list.crew->arena.max_concurrency();
  return threads > 1 && threads == tbb::this_task_arena::max_concurrency();
}

void promote_now(LatentList& list, Latent& latent) noexcept {
  if (!has_workers(list)) return;
  try {
    while (latent.offer(latent) == Offered::a_part) continue;
  } catch (...) {
  }
}

// Promotes the oldest latent fork of this thread.
static void promote(LatentList& list) {
  while (list.newest) {
    Latent& oldest = *list.oldest;
    const Offered offered = oldest.offer(oldest);
    if (offered == Offered::a_part) return;
    if (&oldest == list.newest) {
      list.newest = nullptr;
    } else {
      list.oldest = oldest.newer;
      list.oldest->older = nullptr;
    }
    if (offered == Offered::all) return;
  }
}

void promote_in_time(LatentList& list, Time now) noexcept {
  const Time age = now - list.promoted;
  const bool always = calls.always.load(std::memory_order_relaxed);
  if ((age < least_age && !always) || !list.newest || !has_workers(list)) return;
  try {
    const Crew& crew = list.crew ? *list.crew : crew_of(list.oldest->threads);
    if (!always && !crew.hungry()) {
      if (age < (crew.workers > 0 ? heartbeat : first_heartbeat) || crew.offered >= crew.workers + 1) return;
    }
    list.promoted = now;
    promote(list);
  } catch (...) {
  }
}

void look(LatentList& list) noexcept {
  const Time now = time_now(), since = now - list.looked;
  if (list.looked == 0) {
    list.promoted = now + begins;
  } else if (list.until_look <= 0) {
    if (since < between_looks)
      list.between = std::min(2 * list.between, most_between);
    else if (since > 4 * between_looks)
      list.between = std::max(1, static_cast<int>(list.between * between_looks / since));
  }
  list.looked = now;
  list.until_look = list.between;
  list.answered = calls.count.load(std::memory_order_relaxed);
  promote_in_time(list, now);
}

}  // namespace detail

Heartbeat::Heartbeat(int threads) : threads_(threads) {
  require_threads(threads);
  // A program begins: what went before it is no reason for a promotion.
  if (detail::LatentList& list = detail::latent_list; !list.newest) {
    list.looked = 0;
    list.until_look = list.between = 1;
  }
}

}  // namespace tallcache
