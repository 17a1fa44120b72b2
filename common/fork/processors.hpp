// The processors that this process may use: the affinity mask of its main thread, and the CPU time that its
// control groups leave it.
#pragma once

#include <sys/types.h>

#include <array>
#include <climits>
#include <string>

namespace tallcache {

/// A set of processors by their numbers, as large as Linux can be built for.
class ProcessorSet {
 public:
  ProcessorSet() = default;
  explicit ProcessorSet(int processor) { add(processor); }

  /// 0 <= processor < 8192.
  void add(int processor) { words_[processor / word_bits] |= 1ul << processor % word_bits; }
  bool empty() const { return count() == 0; }
  int count() const;
  /// The number of the processor at `index`, 0 <= index < count(). Linux numbers the first hyper-thread of
  /// every core before the second ones, so that the first processors are different cores.
  int at(int index) const;

  friend bool operator==(const ProcessorSet&, const ProcessorSet&) = default;

 private:
  friend ProcessorSet processors_of(pid_t thread);
  friend bool restrict_to(const ProcessorSet& set);
  static constexpr int most = 8192, word_bits = sizeof(unsigned long) * CHAR_BIT;
  std::array<unsigned long, most / word_bits> words_{};
};

/// The affinity mask of a thread of this process, 0 for the calling one; empty where the system does not
/// tell.
ProcessorSet processors_of(pid_t thread);

/// Lets the calling thread run on these processors alone. False where it may not be changed: a container that
/// forbids it only costs speed.
bool restrict_to(const ProcessorSet& set);

/// What the process may use now: the mask of its main thread, whichever thread asks, also while pin_to()
/// holds that thread on one processor. Takes less than a microsecond.
ProcessorSet usable_processors();

/// The number of usable_processors(), at least 1: the largest number of threads of a run.
int usable_threads();

/// Throws Error unless 1 <= threads <= usable_threads(). Each program asks anew, so that it follows a mask
/// that has changed since the last one.
void require_threads(int threads);

/// The number of threads that a run has by default: usable_threads(), or fewer where the quota of the
/// process's control groups gives it less time. The quota is read once.
int default_threads();

/// The processors' worth of time that control groups of version 1 or 2 give this process, the least on the
/// way from its own group to the root; infinity without a quota. `root`: the folder below which /proc and the
/// groups are read.
double cpu_quota(const std::string& root = "");

/// `quota` rounded up, at least 1 and at most `processors`.
int within_quota(double quota, int processors);

/// A thread that this library has pinned: what it could use before, and the processor that it was given.
struct Pin {
  ProcessorSet before, given;
};

/// Pins the calling thread to a processor.
Pin pin_to(int processor);

/// Gives the calling thread back what it had before a pin, the last one first, unless the host has set
/// something else in the meantime.
void undo(const Pin& pin);

}  // namespace tallcache
