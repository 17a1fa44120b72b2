// When a latent fork becomes a task (heartbeat.hpp): the scheduler's constants, what it knows, and decide().
// All are functions of the times and counts that they are handed. Nothing is known of an earlier program.
#pragma once

#include <algorithm>
#include <cstdint>

namespace tallcache::detail {

using Time = std::int64_t;  // nanoseconds

/// What a promotion and a theft take: a fork that has been latent for less, and half a loop that takes less,
/// stays.
constexpr Time promotion = 8'000;
/// The work of a program from which it pays to share it with threads that are awake. A strand as long keeps
/// those waiting in vain that ask for a task.
constexpr Time sharing = 30'000;
/// The work of a program from which it pays to wake threads.
constexpr Time waking = 100'000;
/// Between two polls, which read a clock, and for a piece of a loop.
constexpr Time polling = 4'000;
/// The forks between two polls at most, as the next ones may be longer.
constexpr int most_forks = 512;
/// Polls after which a long strand is forgotten: more than a descent to a leaf has. So many iterations tell
/// how long a loop takes, and so many times longer is its next piece at most.
constexpr int several = 16;

/// What a thread knows of the program that it runs, or of its part in a task.
struct ForkState {
  Time polled = 0;  ///< last
  Time begun = 0;   ///< the program; 0, long ago: once it has tasks, which only a long one has
  Time ends = 0;    ///< when what was foretold ends, if this thread alone runs it
  int forks = 1;    ///< from one poll to the next
  int until_poll = 1;
  int short_strands = several;  ///< since a long one

  Time foretold(Time now) const { return std::max<Time>(0, ends - now); }
  /// What has run for some time probably runs for as long again.
  Time work(Time now) const { return std::max(now - begun, foretold(now)); }

  /// The thread polls, after as many forks as it wanted to or earlier.
  void poll(Time now);

  /// The strand since the last poll has come to an end.
  void end_strand(Time now);

  /// What follows takes so long, or the program that begins now does. The thread polls at its next fork.
  void expect(Time now, Time nanoseconds);

  /// The oldest fork has become a task, which takes half of what was foretold: returns that half.
  Time promote(Time now);
};

/// What decide() reads: a thread, its oldest latent fork, and its arena.
struct Situation {
  const ForkState& thread;
  Time seen;    ///< when a poll found the fork first
  int threads;  ///< of the fork's policy
  int idle;     ///< those in the arena that have no task
};

/// How many tasks may be on offer in the arena: the fork is promoted where there are fewer.
///
/// One for each thread that is idle. Where the program is worth waking threads, at least one: it wakes them,
/// or is there for the next one that becomes idle. The fork must have been latent for as long as a promotion
/// takes. It need not where half of what the program foretells takes as long: then each other thread gets a
/// task at once. So it does where strands are long, as nobody can ask in time.
int decide(const Situation&, Time now);

}  // namespace tallcache::detail
