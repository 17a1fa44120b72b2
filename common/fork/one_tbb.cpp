#include "common/fork/one_tbb.hpp"

#include "common/fork/parallel.hpp"

#include <oneapi/tbb/task_scheduler_observer.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#if defined(__SANITIZE_THREAD__)
// Suppresses races on oneTBB's tasks and on its count of unfinished ones. Its library hands both from thread
// to thread where the sanitizer cannot see it. This function is called before the sanitizer has started, so
// it is not itself sanitized.
extern "C" __attribute__((no_sanitize_thread)) const char* __tsan_default_suppressions() {
  return "race_top:/oneapi/tbb/\n"
         "race_top:tbb::detail::\n"
         "race_top:_ZN3tbb6detail\n"
         "race:tbb::detail::d1::wait_context\n";
}
#endif

namespace tallcache {
namespace {

std::atomic<bool> pinned{true};
std::atomic<ForkPolicy> chosen_policy{default_fork_policy};

// What the last program found usable. Threads that enter an arena take it from here, as a promotion enters
// one and has no time to ask. Never destroyed: at exit oneTBB's workers may still ask, and another thread may
// be reading an older one.
struct Usable {
  ProcessorSet processors;
  int count;  // which takes as long as to ask for them
};
std::atomic<const Usable*> last_found{nullptr};

const Usable& find_usable() {
  ProcessorSet now = usable_processors();
  if (now.empty()) now = ProcessorSet(0);
  if (const Usable* last = last_found; last && last->processors == now) return *last;
  static std::mutex mutex;
  static auto& found = *new std::list<Usable>;
  const std::lock_guard lock(mutex);
  const auto before = std::ranges::find(found, now, &Usable::processors);
  last_found = before == found.end() ? &found.emplace_back(Usable{now, now.count()}) : &*before;
  return *last_found;
}

const Usable& found_usable() {
  const Usable* const last = last_found;
  return last ? *last : find_usable();
}

// How a caller was pinned when it entered each of its arenas; empty where it was not.
thread_local std::vector<std::optional<Pin>> pins;

// What this library has last let a worker use. It differs from what the worker can use where the host has set
// that.
thread_local std::optional<ProcessorSet> given_to_worker;

void set_worker(const ProcessorSet& set) {
  restrict_to(set);
  given_to_worker = set;
}

// A worker that this library has pinned, or one that begins, on the processors of the thread that started it,
// may use all of the process's. Another one keeps what the host has set.
void release_worker() {
  if (!given_to_worker || (given_to_worker->count() == 1 && *given_to_worker == processors_of(0)))
    set_worker(found_usable().processors);
}

// The latent forks that a thread left behind when it entered each of its arenas, from the outermost on. While
// it is in another arena they are set aside, as tasks of theirs would go there.
thread_local std::vector<detail::LatentList> set_aside;

class Pinning final : public tbb::task_scheduler_observer {
 public:
  explicit Pinning(detail::ArenaState& state) : task_scheduler_observer(state.arena), state_(state) {
    observe(true);
  }
  ~Pinning() override { observe(false); }

  void on_scheduler_entry(bool is_worker) override {
    detail::LatentList& list = detail::latent_list;
    set_aside.push_back(list);
    list.newest = nullptr;
    list.arena = &state_;
    // A program of one thread has not asked (require_threads).
    const bool asks = !is_worker && pinned && !detail::passing && state_.threads == 1;
    const Usable& usable = asks ? find_usable() : found_usable();
    const int processor = usable.processors.at(tbb::this_task_arena::current_thread_index() % usable.count);
    if (!is_worker) {
      const bool stays = !pinned || (detail::passing && sched_getcpu() == processor);
      pins.push_back(stays ? std::nullopt : std::optional(pin_to(processor)));
      return;
    }
    if (pinned)
      set_worker(ProcessorSet(processor));
    else
      release_worker();
    ++state_.idle;
  }
  // A worker stays on its processor while it sleeps. One that may run anywhere is often woken on the
  // caller's, and there waits for the caller's work to end (common/fork/TUNING.md).
  void on_scheduler_exit(bool is_worker) override {
    if (!set_aside.empty()) {
      detail::latent_list = set_aside.back();
      set_aside.pop_back();
    }
    if (is_worker) {
      --state_.idle;
      return;
    }
    if (pins.empty()) return;
    if (pins.back()) undo(*pins.back());
    pins.pop_back();
  }

 private:
  detail::ArenaState& state_;
};

// The first caller's floating-point mode is not the arena's for ever.
void initialize(tbb::task_arena& arena) {
  const detail::DefaultMode mode;
  arena.initialize();
}

struct Arena {
  explicit Arena(int threads) : state(threads), pinning((initialize(state.arena), state)) {}
  detail::ArenaState state;
  Pinning pinning;
};

}  // namespace

bool detail::ArenaState::claim(int limit) {
  int others = offered;
  while (others < limit)
    if (offered.compare_exchange_weak(others, others + 1)) return true;
  return false;
}

void require_threads(int threads) {
  if (threads == 1) return;
  if (const int usable = find_usable().count; threads < 1 || threads > usable)
    throw Error("threads: " + std::to_string(threads) + " asked; this machine has 1 to " +
                std::to_string(usable));
}

void pin_threads(bool pin) { pinned = pin; }

void set_fork_policy(ForkPolicy policy) { chosen_policy = policy; }
ForkPolicy fork_policy() { return chosen_policy; }

tbb::task_arena& arena_of(int threads) {
  require_threads(threads);
  return detail::arena_state(threads).arena;
}

void detail::run_one_tbb(int threads, AnyProgram program) {
  in_arena(threads, [&] {
    const OneTbb one_tbb{threads};
    AnyFork fork(one_tbb);
    program(fork);
  });
}

void detail::fork_one_tbb(int threads, AnyBranch f, AnyBranch g) { OneTbb{threads}(f, g); }

detail::ArenaState& detail::arena_state(int threads) {
  static thread_local ArenaState* last = nullptr;  // a thread that is in no arena asks at each poll
  if (last && last->threads == threads) return *last;
  static std::mutex mutex;
  // Never destroyed: at exit oneTBB's workers may still leave them.
  static auto& arenas = *new std::map<int, std::unique_ptr<Arena>>;
  const std::lock_guard lock(mutex);
  std::unique_ptr<Arena>& entry = arenas[threads];
  if (!entry) entry = std::make_unique<Arena>(threads);
  last = &entry->state;
  return *last;
}

}  // namespace tallcache
