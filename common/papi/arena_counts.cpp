#include "common/papi/arena_counts.hpp"

#include <exception>

#include "common/error.hpp"
#include "common/fork/one_tbb.hpp"

namespace tallcache {

template <class Call>
void RunningSets::attempt(std::size_t i, Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    error_messages_[i] = error.what();
    sets_[i].reset();
  }
}

RunningSets::RunningSets(std::vector<Tally>& tallies)
    : tallies_(tallies), sets_(tallies.size()), error_messages_(tallies.size()) {
  for (std::size_t i = 0; i < sets_.size(); ++i)
    attempt(i, [&] {
      sets_[i] = std::make_unique<EventSet>();
      const EventGroup& group = *tallies[i].group;
      if (group.multiplexed) sets_[i]->multiplex(group.events.front().component);
      for (const Event& event : group.events)
        if (const std::string reason = sets_[i]->add(event); !reason.empty())
          throw Error(event.name + ": " + reason);
    });
}

void RunningSets::start() {
  for (std::size_t i = 0; i < sets_.size(); ++i)
    if (sets_[i]) attempt(i, [&] { sets_[i]->start(); });
}

void RunningSets::stop(std::mutex* mutex) {
  std::vector<std::vector<long long>> counts(sets_.size());
  for (std::size_t i = sets_.size(); i-- > 0;)
    if (sets_[i]) attempt(i, [&] { counts[i] = sets_[i]->stop(); });
  const auto lock = mutex ? std::unique_lock(*mutex) : std::unique_lock<std::mutex>();
  for (std::size_t i = 0; i < sets_.size(); ++i) {
    Tally& tally = tallies_[i];
    if (tally.error_message.empty()) tally.error_message = error_messages_[i];
    tally.sums.resize(tally.group->events.size());
    for (std::size_t event = 0; event < counts[i].size(); ++event) tally.sums[event] += counts[i][event];
  }
}

ArenaCounts::ArenaCounts(tbb::task_arena& arena, std::vector<Tally>& tallies)
    : tbb::task_scheduler_observer(arena), arena_(arena), tallies_(tallies) {
  // The locks tell the thread sanitizer what oneTBB's library, which is not compiled with it, guarantees: an
  // observer is made before it is called, and not called after it is destroyed.
  { const std::lock_guard lock(mutex_); }
  observe(true);
}

ArenaCounts::~ArenaCounts() {
  observe(false);
  const std::lock_guard lock(mutex_);
}

void ArenaCounts::run(const std::function<void()>& work) {
  std::exception_ptr failure;
  detail::enter_in_own_mode(arena_, [&] {
    try {
      work();
    } catch (...) {
      failure = std::current_exception();
    }
  });
  // A thread that was in the arena before would otherwise enter with observe(true) and leave only
  // with observe(false).
  on_scheduler_exit(false);
  // Each thread stops its own event sets, so all threads must have left first.
  std::unique_lock lock(mutex_);
  if (!left_.wait_for(lock, patience, [&] { return threads_.empty(); }))
    for (Tally& tally : tallies_)
      tally.error_message = "a thread is still at work in the arena, its counts are missing";
  done_ = true;
  for (Tally& tally : tallies_)
    if (tally.sums.empty() && tally.error_message.empty())
      tally.error_message = "no thread came into the arena";
  if (failure) std::rethrow_exception(failure);
}

void ArenaCounts::on_scheduler_entry(bool) {
  {
    const std::lock_guard lock(mutex_);
    if (done_) return;
  }
  auto made = std::make_unique<RunningSets>(tallies_);
  RunningSets& sets = *made;
  {
    const std::lock_guard lock(mutex_);
    if (done_ || !threads_.try_emplace(std::this_thread::get_id(), std::move(made)).second) return;
  }
  sets.start();
}

void ArenaCounts::on_scheduler_exit(bool) {
  RunningSets* sets = nullptr;
  {
    const std::lock_guard lock(mutex_);
    const auto found = threads_.find(std::this_thread::get_id());
    if (found == threads_.end()) return;
    sets = found->second.get();
  }
  sets->stop(&mutex_);
  const std::lock_guard lock(mutex_);
  threads_.erase(std::this_thread::get_id());
  left_.notify_all();
}

}  // namespace tallcache
