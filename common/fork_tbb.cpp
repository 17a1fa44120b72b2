#include "common/fork_tbb.hpp"

#include <oneapi/tbb/task_scheduler_observer.h>
#include <sched.h>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace tallcache {
namespace {

// As it was before anything was pinned. Linux numbers the first hyper-thread of every core before the second
// ones, so that the first processors are different cores.
const std::vector<int>& usable_processors() {
  // Never destroyed: at exit oneTBB's workers still read it when they leave their arena.
  static const auto& usable = *new std::vector<int>([] {
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

void restrict_to(const std::vector<int>& processors) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int processor : processors) CPU_SET(processor, &set);
  sched_setaffinity(0, sizeof set, &set);  // a hint: a container that forbids it only costs speed
}

class Pinning final : public tbb::task_scheduler_observer {
 public:
  explicit Pinning(tbb::task_arena& arena) : task_scheduler_observer(arena) { observe(true); }
  ~Pinning() override { observe(false); }

  void on_scheduler_entry(bool) override {
    const auto slot = static_cast<std::size_t>(tbb::this_task_arena::current_thread_index());
    if (pinned) restrict_to({usable_processors()[slot % usable_processors().size()]});
  }
  void on_scheduler_exit(bool) override {
    if (pinned) restrict_to(usable_processors());
  }
};

struct Arena {
  explicit Arena(int threads) : arena(threads), pinning((arena.initialize(), arena)) {}
  tbb::task_arena arena;
  Pinning pinning;
};

}  // namespace

int usable_threads() { return static_cast<int>(usable_processors().size()); }

void require_threads(int threads) {
  if (threads < 1 || threads > usable_threads())
    throw Error("threads: " + std::to_string(threads) + " asked; this machine has 1 to " +
                std::to_string(usable_threads()));
}

void pin_threads(bool pin) { pinned = pin; }

tbb::task_arena& arena_of(int threads) {
  require_threads(threads);
  static std::mutex mutex;
  // Never destroyed: at exit oneTBB's workers may still leave them.
  static auto& arenas = *new std::map<int, std::unique_ptr<Arena>>;
  const std::lock_guard lock(mutex);
  std::unique_ptr<Arena>& entry = arenas[threads];
  if (!entry) entry = std::make_unique<Arena>(threads);
  return entry->arena;
}

}  // namespace tallcache
