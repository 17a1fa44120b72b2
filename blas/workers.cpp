#include "blas/workers.hpp"

#include <oneapi/tbb/task_group.h>
#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <new>
#include <thread>
#include <utility>
#include <vector>

#include "common/fork/floating_point_mode.hpp"
#include "common/fork/processors.hpp"

namespace tallcache::blas {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds until_next_try{1};
constexpr std::size_t stack_bytes = std::size_t{4} << 20;

/// A thread that waits in the arena, and so takes part in what others do there, until it is dismissed.
class Worker {
 public:
  explicit Worker(tbb::task_arena& arena) : arena_(arena), stay_(group_.defer([] {})) {}

  void dismiss() {
    dismissed_ = true;
    stay_ = {};
  }

  void work() {
    const auto self = std::this_thread::get_id();
    while (!dismissed_) {
      bool entered = false;
      // Where callers fill the arena one of them would run this.
      arena_.execute([&] {
        if (std::this_thread::get_id() != self) return;
        entered = true;
        group_.wait();
      });
      if (entered) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

 private:
  tbb::task_arena& arena_;
  tbb::task_group group_;
  tbb::task_handle stay_;  // while it lasts the group has not ended
  std::atomic<bool> dismissed_{false};
};

using SharedWorker = std::shared_ptr<Worker>;

struct State {
  std::mutex mutex;
  tbb::task_arena* arena = nullptr;
  int most = 0;                 ///< threads of the arena: callers take as many places again
  bool refuses_arenas = false;  ///< oneTBB has thrown while it began: asked again, it waits for ever
  std::vector<SharedWorker> workers;
  Clock::time_point refused{};  ///< when fewer came than were wanted

  void dismiss_last() {
    const SharedWorker worker = std::move(workers.back());
    workers.pop_back();
    worker->dismiss();
  }
};

/// Never destroyed, as workers last until the program ends; in no memory that must be had.
State& state() {
  alignas(State) static std::byte memory[sizeof(State)];
  static State& made = *new (memory) State;
  return made;
}

void* work_as(void* argument) {
  const std::unique_ptr<SharedWorker> own(static_cast<SharedWorker*>(argument));
  // Not the caller's processors, from whom the thread has inherited: it may be pinned.
  if (const ProcessorSet usable = usable_processors(); !usable.empty()) restrict_to(usable);
  pthread_setname_np(pthread_self(), "tallcache_blas");  // last: who knows it by its name may set its mask
  try {
    (*own)->work();
  } catch (...) {  // no memory to enter the arena: the others do this one's part
    State& all = state();
    const std::lock_guard lock(all.mutex);
    if (std::erase(all.workers, *own) > 0) all.refused = Clock::now();
  }
  return nullptr;
}

/// Signals that the host waits for are not for these threads; those of a fault of its own are.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGPROF})
      sigdelset(&all, fault);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

bool start(const SharedWorker& worker) {
  std::unique_ptr<SharedWorker> own(new (std::nothrow) SharedWorker(worker));
  if (!own) return false;
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, stack_bytes);
  pthread_t thread;
  const SignalsBlocked blocked;
  const bool started = pthread_create(&thread, &attributes, work_as, own.get()) == 0;
  pthread_attr_destroy(&attributes);
  if (started) own.release();
  return started;
}

/// An arena for `wanted` threads and as many callers more. All places are for callers, whom oneTBB gives no
/// workers of its own. An older arena stays, as it may have callers.
void make_arena(State& all, int wanted) {
  auto arena = std::make_unique<tbb::task_arena>(2 * wanted, static_cast<unsigned>(2 * wanted));
  {
    const detail::DefaultMode mode;  // not the first caller's for ever
    all.refuses_arenas = true;
    arena->initialize();
    all.refuses_arenas = false;
  }
  while (!all.workers.empty()) all.dismiss_last();
  all.arena = arena.release();
  all.most = wanted;
}

/// Makes the workers as many as `wanted` threads need, as far as it can.
void hire(State& all, int wanted) noexcept {
  try {
    if (wanted > all.most && !all.refuses_arenas) make_arena(all, wanted);
    wanted = std::min(wanted, all.most);
    while (static_cast<int>(all.workers.size()) < wanted - 1) {
      all.workers.push_back(std::make_shared<Worker>(*all.arena));
      if (start(all.workers.back())) continue;
      all.dismiss_last();
      break;
    }
  } catch (...) {  // no memory
  }
  if (static_cast<int>(all.workers.size()) < wanted - 1) all.refused = Clock::now();
}

}  // namespace

Team team_of(int wanted) noexcept {
  if (wanted <= 1) return {};
  State& all = state();
  const std::lock_guard lock(all.mutex);
  while (static_cast<int>(all.workers.size()) > wanted - 1) all.dismiss_last();
  if (static_cast<int>(all.workers.size()) < wanted - 1 && Clock::now() - all.refused >= until_next_try)
    hire(all, wanted);
  if (all.workers.empty()) return {};
  return {all.arena, 1 + static_cast<int>(all.workers.size())};
}

}  // namespace tallcache::blas
