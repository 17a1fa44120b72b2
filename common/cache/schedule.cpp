#include "common/cache/schedule.hpp"

#include <algorithm>
#include <deque>
#include <functional>
#include <queue>
#include <string>

#include "common/catalogue.hpp"
#include "common/error.hpp"
#include "common/fork/decide.hpp"
#include "common/random.hpp"

namespace tallcache::cache {
namespace {

/// A strand that ends, on a processor.
struct Ending {
  std::uint64_t time;
  int processor;
  StrandNumber strand;
  bool operator>(const Ending& other) const {
    return time != other.time ? time > other.time : processor > other.processor;
  }
};

/// What the schedulers share: who runs what, what is ready, and the counts.
class Run {
 public:
  Run(const Strands& strands, int processors, StrandRunner& runner)
      : runner_(runner), came_(strands.size()), last_(static_cast<std::size_t>(processors), no_strand) {}

  void start(int processor, StrandNumber strand, std::uint64_t time) {
    StrandNumber& last = last_[static_cast<std::size_t>(processor)];
    counts.deviations += strand > 0 && last != strand - 1;
    last = strand;
    const std::uint64_t end = time + runner_.run(processor, strand, time);
    counts.steps = std::max(counts.steps, end);
    endings.push({end, processor, strand});
  }

  /// Whether the other branch had ended when this one came to the join before strand `next`.
  bool is_last(StrandNumber next) {
    const bool last = came_[next];
    came_[next] = true;
    return last;
  }

  std::priority_queue<Ending, std::vector<Ending>, std::greater<>> endings;
  ScheduleCounts counts;

 private:
  StrandRunner& runner_;
  std::vector<bool> came_;          // of a strand behind a join: one of the branches has ended
  std::vector<StrandNumber> last_;  // of each processor: the strand that it ran last
};

/// The deques of work stealing.
class Deques {
 public:
  explicit Deques(int processors) : deques_(static_cast<std::size_t>(processors)) {}

  void fork(int processor, StrandNumber second, std::uint64_t, int) {
    of(processor).push_back(second);
    ++offered_;
  }
  /// The processor's own work, the newest first; no_strand without any.
  StrandNumber next(int processor, std::uint64_t) {
    auto& own = of(processor);
    if (own.empty()) return no_strand;
    const StrandNumber strand = own.back();
    own.pop_back();
    --offered_;
    return strand;
  }
  StrandNumber steal(int, int victim, std::uint64_t) {
    auto& theirs = of(victim);
    if (theirs.empty()) return no_strand;
    const StrandNumber strand = theirs.front();
    theirs.pop_front();
    --offered_;
    return strand;
  }
  bool any_offered() const { return offered_ > 0; }

 private:
  std::deque<StrandNumber>& of(int processor) { return deques_[static_cast<std::size_t>(processor)]; }
  std::vector<std::deque<StrandNumber>> deques_;
  std::uint64_t offered_ = 0;
};

/// The latent forks and tasks of the heartbeat (common/fork/heartbeat.cpp).
class Heartbeats {
 public:
  explicit Heartbeats(int processors) : threads_(processors), of_(static_cast<std::size_t>(processors)) {
    of_[0].state = {.polled = epoch, .begun = epoch};
  }

  void fork(int processor, StrandNumber second, std::uint64_t time, int idle) {
    OfProcessor& mine = of(processor);
    mine.latent.push_back({second});
    if (threads_ == 1 || --mine.state.until_poll > 0) return;
    mine.state.poll(at(time));
    promote(mine, at(time), idle);
  }
  /// The newest fork, where it is still latent; else all are tasks, and the processor's newest comes next.
  StrandNumber next(int processor, std::uint64_t time) {
    OfProcessor& mine = of(processor);
    if (mine.latent.empty()) return take(mine, processor, time, true);
    const StrandNumber second = mine.latent.back().second;
    mine.latent.pop_back();
    return second;
  }
  StrandNumber steal(int processor, int victim, std::uint64_t time) {
    return take(of(victim), processor, time + 1, false);
  }
  bool any_offered() const { return offered_ > 0; }

 private:
  using Time = detail::Time;
  static constexpr Time epoch = Time{1} << 40;  // as a clock has run for long when a program begins

  struct Latent {
    StrandNumber second;
    Time seen = 0;  // 0: no poll found it yet
  };
  struct Task {
    StrandNumber second;
    Time foretold;
    int short_strands;
  };
  struct OfProcessor {
    detail::ForkState state;
    std::deque<Latent> latent;
    std::deque<Task> tasks;
  };

  static Time at(std::uint64_t time) { return epoch + static_cast<Time>(time); }
  OfProcessor& of(int processor) { return of_[static_cast<std::size_t>(processor)]; }

  void promote(OfProcessor& mine, Time now, int idle) {
    mine.state.polled = now;
    if (mine.state.work(now) < detail::sharing) return;
    for (auto fork = mine.latent.rbegin(); fork != mine.latent.rend() && fork->seen == 0; ++fork)
      fork->seen = now;
    while (!mine.latent.empty()) {
      const Latent& oldest = mine.latent.front();
      if (offered_ >= detail::decide({mine.state, oldest.seen, threads_, idle}, now)) return;
      const Time foretold = mine.state.promote(now);
      mine.tasks.push_back({oldest.second, foretold, mine.state.short_strands});
      mine.latent.pop_front();
      ++offered_;
    }
  }

  // The newest of the processor's own tasks, or the oldest of another's.
  StrandNumber take(OfProcessor& theirs, int processor, std::uint64_t time, bool own) {
    if (theirs.tasks.empty()) return no_strand;
    const Task task = own ? theirs.tasks.back() : theirs.tasks.front();
    own ? theirs.tasks.pop_back() : theirs.tasks.pop_front();
    --offered_;
    const Time now = at(time);
    of(processor).state = {.polled = now, .ends = now + task.foretold, .short_strands = task.short_strands};
    return task.second;
  }

  int threads_;
  std::vector<OfProcessor> of_;
  int offered_ = 0;
};

/// Work stealing over the deques of `Offers`.
template <class Offers>
class Stealing {
 public:
  Stealing(const Strands& strands, int processors, std::uint64_t seed, StrandRunner& runner)
      : strands_(strands),
        processors_(processors),
        seed_(seed),
        run_(strands, processors, runner),
        offers_(processors) {
    for (int processor = 1; processor < processors; ++processor) idle_.push_back(processor);
  }

  ScheduleCounts counts() {
    run_.start(0, 0, 0);
    std::uint64_t now = 0;
    while (!run_.endings.empty()) {
      const std::uint64_t next = run_.endings.top().time;
      now = !idle_.empty() && offers_.any_offered() ? std::min(now + 1, next) : next;
      while (!run_.endings.empty() && run_.endings.top().time == now) end_strand(now);
      if (processors_ > 1) steal(now);
    }
    return run_.counts;
  }

 private:
  void end_strand(std::uint64_t now) {
    const auto [time, processor, ended] = run_.endings.top();
    run_.endings.pop();
    const Strand& strand = strands_[ended];
    StrandNumber next = strand.next;
    if (strand.forks()) {
      offers_.fork(processor, strand.second, now, static_cast<int>(idle_.size()));
      next = ended + 1;
    } else if (next != no_strand) {
      if (!run_.is_last(next)) next = offers_.next(processor, now);
    }
    if (next != no_strand)
      run_.start(processor, next, now);
    else
      idle_.insert(std::ranges::lower_bound(idle_, processor), processor);
  }

  // Each idle processor makes an attempt. Where no deque has work it would fail, whatever it chose.
  void steal(std::uint64_t now) {
    std::size_t left = 0;
    for (const int thief : idle_) {
      StrandNumber strand = no_strand;
      if (offers_.any_offered()) {
        const auto others = static_cast<std::uint64_t>(processors_ - 2);
        auto victim = static_cast<int>(random_up_to(seed_, run_.counts.attempts++, others));
        victim += victim >= thief;
        strand = offers_.steal(thief, victim, now);
      }
      if (strand == no_strand) {
        idle_[left++] = thief;
      } else {
        ++run_.counts.steals;
        run_.start(thief, strand, now + 1);
      }
    }
    idle_.resize(left);
  }

  const Strands& strands_;
  const int processors_;
  const std::uint64_t seed_;
  Run run_;
  Offers offers_;
  std::vector<int> idle_;  // in their order
};

using ReadyStrands = std::priority_queue<StrandNumber, std::vector<StrandNumber>, std::greater<>>;

/// Takes the strand that ends next from the run, and puts what has become ready into `ready`. Returns its
/// processor.
template <class Ready>
int end_next(const Strands& strands, Run& run, Ready&& ready) {
  const Ending ending = run.endings.top();
  run.endings.pop();
  const Strand& strand = strands[ending.strand];
  if (strand.forks())
    ready(ending.strand + 1), ready(strand.second);
  else if (strand.next != no_strand && run.is_last(strand.next))
    ready(strand.next);
  return ending.processor;
}

ScheduleCounts depth_first(const Strands& strands, int processors, StrandRunner& runner) {
  Run run(strands, processors, runner);
  std::vector<ReadyStrands> of(static_cast<std::size_t>(processors));
  std::vector<bool> busy(of.size());
  std::vector<StrandNumber> first(of.size(), no_strand);  // of each piece
  std::uint64_t before = 0;
  for (StrandNumber s = 0; s < strands.size(); before += strands[s++].steps) {
    const auto piece = static_cast<unsigned __int128>(before) * of.size() / strands.work();
    for (auto p = static_cast<std::size_t>(piece) + 1; p-- > 0 && first[p] == no_strand;) first[p] = s;
  }
  std::vector<int> changed;  // processors with new work, or with none before
  const auto ready = [&](StrandNumber strand) {
    const auto piece = std::ranges::upper_bound(first, strand) - first.begin() - 1;
    of[static_cast<std::size_t>(piece)].push(strand);
    changed.push_back(static_cast<int>(piece));
  };
  ready(0);
  for (std::uint64_t now = 0;; now = run.endings.top().time) {
    while (!run.endings.empty() && run.endings.top().time == now) {
      changed.push_back(end_next(strands, run, ready));
      busy[static_cast<std::size_t>(changed.back())] = false;
    }
    std::ranges::sort(changed);
    for (const int processor : changed) {
      const auto p = static_cast<std::size_t>(processor);
      if (busy[p] || of[p].empty()) continue;
      run.start(processor, of[p].top(), now);
      of[p].pop();
      busy[p] = true;
    }
    changed.clear();
    if (run.endings.empty()) return run.counts;
  }
}

ScheduleCounts parallel_depth_first(const Strands& strands, int processors, StrandRunner& runner) {
  Run run(strands, processors, runner);
  ReadyStrands ready;
  std::priority_queue<int, std::vector<int>, std::greater<>> free;
  for (int processor = 0; processor < processors; ++processor) free.push(processor);
  ready.push(0);
  for (std::uint64_t now = 0;; now = run.endings.top().time) {
    while (!run.endings.empty() && run.endings.top().time == now)
      free.push(end_next(strands, run, [&](StrandNumber strand) { ready.push(strand); }));
    for (; !ready.empty() && !free.empty(); ready.pop(), free.pop()) run.start(free.top(), ready.top(), now);
    if (run.endings.empty()) return run.counts;
  }
}

constexpr std::array<std::string_view, schedulers.size()> names{"work-stealing", "heartbeat", "depth-first",
                                                                "parallel-depth-first"};

}  // namespace

std::string_view to_string(Scheduler scheduler) { return names[static_cast<std::size_t>(scheduler)]; }

Scheduler find_scheduler(std::string_view name) {
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) throw Error(unknown_name("scheduler", name, names));
  return schedulers[static_cast<std::size_t>(found - names.begin())];
}

ScheduleCounts schedule(const Strands& strands, Scheduler scheduler, int processors, std::uint64_t seed,
                        StrandRunner& runner) {
  if (processors < 1 || processors > max_processors)
    throw Error(std::to_string(processors) + " processors: there must be 1 to " +
                std::to_string(max_processors));
  if (static_cast<std::size_t>(processors) > strands.size())
    throw Error(std::to_string(processors) + " processors are more than the " +
                std::to_string(strands.size()) + " strands of this run");
  switch (scheduler) {
    case Scheduler::work_stealing:
      return Stealing<Deques>(strands, processors, seed, runner).counts();
    case Scheduler::heartbeat:
      return Stealing<Heartbeats>(strands, processors, seed, runner).counts();
    case Scheduler::depth_first:
      return depth_first(strands, processors, runner);
    case Scheduler::parallel_depth_first:
      return parallel_depth_first(strands, processors, runner);
  }
  throw Error("no scheduler");
}

}  // namespace tallcache::cache
