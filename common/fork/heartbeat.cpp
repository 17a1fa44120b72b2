#include "common/fork/heartbeat.hpp"

#include <oneapi/tbb/task_group.h>
#include <sys/prctl.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <thread>

#include "common/fork/one_tbb.hpp"

namespace tallcache {
namespace detail {
namespace {

/// Counts heartbeats while a thread looks at them, and sleeps otherwise.
class Clock {
 public:
  /// A thread has seen heartbeat `now`.
  void seen(std::uint64_t now) {
    last_seen_.store(now, std::memory_order_relaxed);
    if (!asleep_.load(std::memory_order_relaxed)) return;
    std::call_once(started_, [this] { std::thread([this] { run(); }).detach(); });
    if (asleep_.exchange(false)) asleep_.notify_one();
  }

 private:
  static constexpr std::chrono::microseconds period{100};
  static constexpr std::uint64_t patience = 50;  // heartbeats

  void run() {
    use_all_processors();
    prctl(PR_SET_TIMERSLACK, 1000UL);  // nanoseconds; the default is half a period
    while (true) {
      std::this_thread::sleep_for(period);
      const bool sleeps = heartbeats.count - last_seen_ > patience;
      // Announced by one more heartbeat, so that every thread looks once more and finds the clock asleep.
      if (sleeps) asleep_ = true;
      ++heartbeats.count;
      if (sleeps) asleep_.wait(true);
    }
  }

  std::once_flag started_;
  std::atomic<std::uint64_t> last_seen_{0};
  std::atomic<bool> asleep_{true};
};

// Never destroyed: its thread and oneTBB's may outlive main().
Clock& clock() {
  static Clock& clock = *new Clock;
  return clock;
}

// The arena that the thread is in.
tbb::task_arena* arena_of(const LatentList& list) { return static_cast<tbb::task_arena*>(list.arena); }

}  // namespace

struct Promoted {
  explicit Promoted(tbb::task_arena& of_tasks) : arena(of_tasks) {}

  tbb::task_arena& arena;
  // Isolated, as a branch that an outer cancellation left out would leave its fork without a result.
  tbb::task_group_context context{tbb::task_group_context::isolated};
  tbb::task_group group{context};
  HappensBefore order;
};

void spawn(Latent& latent, void (*run)(void*, Index, Index), void* data, Index begin, Index end) {
  std::unique_ptr<Promoted> made;
  if (!latent.promoted) {
    tbb::task_arena* const inside = arena_of(latent_list);
    made = std::make_unique<Promoted>(inside ? *inside : tallcache::arena_of(latent.threads));
  }
  Promoted& promoted = latent.promoted ? *latent.promoted : *made;
  promoted.order.fork();
  const auto task = [ run, data, begin, end, &order = promoted.order ]() __attribute__((no_sanitize_thread)) {
    const auto body = [=]() __attribute__((no_sanitize_thread)) { run(data, begin, end); };
    order.branch(body);
  };
  enter(promoted.arena, [&] { promoted.group.run(task); });
  if (made) latent.promoted = made.release();
}

void join(Latent& latent) {
  const std::unique_ptr<Promoted> promoted(latent.promoted);
  enter(promoted->arena, [&] { promoted->group.wait(); });
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
  const tbb::task_arena* const inside = arena_of(list);
  return !inside || (inside->max_concurrency() > 1 &&
                     inside->max_concurrency() == tbb::this_task_arena::max_concurrency());
}

void promote_now(LatentList& list, Latent& latent) noexcept {
  if (!has_workers(list)) return;
  try {
    while (latent.offer(latent) == Offered::a_part) continue;
  } catch (...) {
  }
}

void on_heartbeat(LatentList& list) noexcept {
  const bool begins = list.seen == 0;
  list.seen = heartbeats.count.load(std::memory_order_acquire);
  try {
    clock().seen(list.seen);
    if (begins || !has_workers(list)) return;
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
  } catch (...) {
  }
}

}  // namespace detail

Heartbeat::Heartbeat(int threads) : threads_(threads) {
  require_threads(threads);
  // A program begins: what went before it is no reason for a promotion.
  if (!detail::latent_list.newest) detail::latent_list.seen = 0;
}

}  // namespace tallcache
