#include "common/fork/heartbeat.hpp"

#include <oneapi/tbb/task_group.h>

#include <memory>
#include <thread>

#include "common/fork/one_tbb.hpp"

namespace tallcache {
namespace detail {
namespace {

// Nanoseconds. A promotion takes some hundreds of them, to wake a thread more than ten thousand (TUNING.md).
constexpr Time heartbeat = 30'000, first_heartbeat = 70'000;  // the first: while the workers sleep
constexpr Time least_age = 5'000;      // of a promotion before the next one, on average
constexpr Time burst = 4 * least_age;  // so many promotions may follow one another
constexpr Time begins = 25'000;        // a program: waits for so long in any case
constexpr Time between_looks = 2'000;
constexpr Time long_strand = 30'000, long_beginning = 100'000;
constexpr int most_between = 512;  // forks

// Whether this thread has strands so long that it does not look before it is too late for a promotion. It
// then promotes each fork, up to a task for each thread, and so do those that take its tasks, until short
// strands follow one another, those before the task included. After strands that are longer still the next
// program does so from its beginning: it is probably the same again. Where it is not, a thread is woken in
// vain, which takes a tenth of such a strand's time.
struct Strands {
  bool long_now = false, long_before = false;
  int short_ones = 0;
};
constinit thread_local Strands strands;
constexpr int many = 16;  // more than a descent to a leaf

// The strand since the last look has come to an end.
void strand_ends(Time length) {
  if (length >= long_strand)
    strands.long_now = true, strands.short_ones = 0;
  else if (++strands.short_ones >= many)
    strands.long_now = false;
  if (length >= long_beginning) strands.long_before = true;
}

}  // namespace

struct Promoted {
  explicit Promoted(Crew& of_tasks) : crew(of_tasks) {}

  Crew& crew;
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
    Running(Promoted& promoted, Strands of_fork) : crew(promoted.crew) {
      --promoted.waiting;
      --crew.offered;
      --crew.idle;
      LatentList& list = latent_list;
      list.until_look = list.between = 1;
      list.looked = time_now();
      list.promoted = list.looked - burst;
      strands.long_now = of_fork.long_now;
      strands.short_ones = of_fork.short_ones;
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
  const auto task =
      [ run, data, begin, end, &promoted, of_fork = strands, unfinished = Promoted::Unfinished(promoted) ]()
          __attribute__((no_sanitize_thread)) {
    const auto body = [&]() __attribute__((no_sanitize_thread)) {
      const Promoted::Running running(promoted, of_fork);
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
  strand_ends(time_now() - latent_list.looked);
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
  // Where the arena is full one of its threads runs this. It does not wait: of the tasks that are waited for
  // one may be suspended on its own stack.
  const auto caller = std::this_thread::get_id();
  for (bool waited = false; !waited;) {
    pass_through(crew, [&] {
      if (std::this_thread::get_id() != caller && promoted->unfinished > 0) return;
      waited = true;
      const Idle idle(crew);
      promoted->group.wait();
    });
    if (!waited) std::this_thread::yield();
  }
  latent_list.looked = time_now();  // to wait is no strand
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

// Promotes the oldest latent fork of this thread.
static void promote(LatentList& list) {
  while (list.newest) {
    Latent& oldest = *list.oldest;
    const Offered offered = oldest.offer(oldest);
    if (offered == Offered::a_part) return;
    list.remove_oldest();
    if (offered == Offered::all) return;
  }
}

// Whether it is time for a promotion.
static bool is_time(const LatentList& list, const Crew& crew, Time now) {
  const Time age = now - list.promoted;
  if ((age < least_age || now - list.oldest->seen < worth_a_task) && !strands.long_now) return false;
  if (crew.hungry()) return true;
  return crew.offered < list.oldest->threads &&
         (strands.long_now || age >= (crew.workers > 0 ? heartbeat : first_heartbeat));
}

void promote_in_time(LatentList& list, Time now) noexcept {
  list.looked = now;
  const bool always = calls.always.load(std::memory_order_relaxed);
  if (now - list.promoted < least_age && !always && !strands.long_now) return;
  if (!list.newest || !has_workers(list)) return;
  try {
    list.find_oldest(now);
    const Crew& crew = list.crew ? *list.crew : crew_of(list.oldest->threads);
    if (always) return promote(list);
    // So many at most as to give each other thread a task.
    for (int i = 1; list.newest && i < list.oldest->threads && is_time(list, crew, now); ++i) {
      list.promoted = std::min(now, std::max(list.promoted, now - burst) + least_age);
      promote(list);
    }
  } catch (...) {
  }
}

void expect(LatentList& list, int threads, Time work) {
  if (work < worth_sharing) return;
  const Crew& crew = list.crew ? *list.crew : crew_of(threads);
  if (work < worth_waking && crew.workers == 0) return;
  strands = {.long_now = true, .long_before = strands.long_before};
  list.looked = time_now();
  list.promoted = list.looked - burst;
  list.until_look = list.between = 1;
}

void look(LatentList& list) noexcept {
  const Time now = time_now(), since = now - list.looked;
  if (list.looked == 0) {
    strands = {.long_now = strands.long_before};
    list.promoted = strands.long_now ? now - burst : now + begins;
  } else {
    strand_ends(since);
  }
  if (list.looked != 0 && list.until_look <= 0) {
    if (since < between_looks)
      list.between = std::min(2 * list.between, most_between);
    else if (since > 4 * between_looks)
      list.between = std::max(1, static_cast<int>(list.between * between_looks / since));
  }
  if (list.between >= many) strands.long_now = false;
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

void Heartbeat::expect_work(Index nanoseconds) const {
  detail::LatentList& list = detail::latent_list;
  if (threads_ > 1 && !list.newest) detail::expect(list, threads_, nanoseconds);
}

}  // namespace tallcache
