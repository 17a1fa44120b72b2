#include "common/fork/one_tbb.hpp"

#include "common/fork/parallel.hpp"

#include <oneapi/tbb/task_scheduler_observer.h>
#include <sched.h>

#include <atomic>
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

// The processors of the process before any thread was pinned. Never destroyed, as workers may still ask at
// exit. Linux numbers the first hyper-thread of every core before the second ones, so that the first
// processors are different cores.
const std::vector<int>& usable_processors() {
  static const auto& usable = *new auto([] {
    std::vector<int> list;
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
      for (int processor = 0; processor < CPU_SETSIZE; ++processor)
        if (CPU_ISSET(processor, &set)) list.push_back(processor);
    if (list.empty()) list.push_back(0);
    return list;
  }());
  return usable;
}

std::atomic<bool> pinned{true};
std::atomic<ForkPolicy> chosen_policy{default_fork_policy};

cpu_set_t set_of(const std::vector<int>& processors) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int processor : processors) CPU_SET(processor, &set);
  return set;
}

// Pinning is a hint: a container that forbids it only costs speed.
void restrict_to(const cpu_set_t& set) { sched_setaffinity(0, sizeof set, &set); }

// The processors that a caller could use before it entered each of its arenas; empty where it was not pinned.
thread_local std::vector<std::optional<cpu_set_t>> outside;

// The latent forks that a thread left behind when it entered each of its arenas, from the outermost on. While
// it is in another arena they are set aside, as tasks of theirs would go there.
thread_local std::vector<detail::LatentList> set_aside;

class Pinning final : public tbb::task_scheduler_observer {
 public:
  explicit Pinning(detail::Crew& crew) : task_scheduler_observer(crew.arena), crew_(crew) { observe(true); }
  ~Pinning() override { observe(false); }

  void on_scheduler_entry(bool is_worker) override {
    detail::LatentList& list = detail::latent_list;
    set_aside.push_back(list);
    list.newest = nullptr;
    list.crew = &crew_;
    const std::vector<int>& all = usable_processors();
    const int processor =
        all[static_cast<std::size_t>(tbb::this_task_arena::current_thread_index()) % all.size()];
    const bool pins = pinned && !(!is_worker && detail::passing && sched_getcpu() == processor);
    if (!is_worker) {
      cpu_set_t before;
      const bool known = pins && sched_getaffinity(0, sizeof before, &before) == 0;
      outside.push_back(known ? std::optional(before) : std::nullopt);
    }
    if (pins)
      restrict_to(set_of({processor}));
    else if (is_worker)
      detail::use_all_processors();
    if (!is_worker) return;
    ++crew_.workers;
    crew_.becomes_idle();
  }
  // A worker stays on its processor while it sleeps. One that may run anywhere is often woken on the caller's, and there
  // waits for the caller's work to end (common/fork/TUNING.md).
  void on_scheduler_exit(bool is_worker) override {
    if (!set_aside.empty()) {
      detail::latent_list = set_aside.back();
      set_aside.pop_back();
    }
    if (is_worker) {
      --crew_.idle;
      --crew_.workers;
      return;
    }
    if (outside.empty()) return;
    if (outside.back()) restrict_to(*outside.back());
    outside.pop_back();
  }

 private:
  detail::Crew& crew_;
};

// The first caller's floating-point mode is not the arena's for ever.
void initialize(tbb::task_arena& arena) {
  const detail::DefaultMode mode;
  arena.initialize();
}

struct Arena {
  explicit Arena(int threads) : crew(threads), pinning((initialize(crew.arena), crew)) {}
  detail::Crew crew;
  Pinning pinning;
};

}  // namespace

void detail::Crew::becomes_idle() {
  ++idle;
  if (hungry()) ++calls.count;
}

void detail::use_all_processors() { restrict_to(set_of(usable_processors())); }

int usable_threads() { return static_cast<int>(usable_processors().size()); }

void require_threads(int threads) {
  if (threads < 1 || threads > usable_threads())
    throw Error("threads: " + std::to_string(threads) + " asked; this machine has 1 to " +
                std::to_string(usable_threads()));
}

void pin_threads(bool pin) { pinned = pin; }

void set_fork_policy(ForkPolicy policy) { chosen_policy = policy; }
ForkPolicy fork_policy() { return chosen_policy; }

tbb::task_arena& arena_of(int threads) { return detail::crew_of(threads).arena; }

detail::Crew& detail::crew_of(int threads) {
  require_threads(threads);
  static std::mutex mutex;
  // Never destroyed: at exit oneTBB's workers may still leave them.
  static auto& arenas = *new std::map<int, std::unique_ptr<Arena>>;
  const std::lock_guard lock(mutex);
  std::unique_ptr<Arena>& entry = arenas[threads];
  if (!entry) entry = std::make_unique<Arena>(threads);
  return entry->crew;
}

}  // namespace tallcache
