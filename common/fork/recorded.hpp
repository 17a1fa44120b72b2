// The fork policy that tells an observer where a program forks and joins, while it runs the program serially.
#pragma once

#include <algorithm>
#include <cstddef>

#include "common/fork/fork.hpp"

namespace tallcache {

/// What Recorded tells. The first branch begins with fork(), the second one with second(), and what follows
/// the fork with join().
class ForkObserver {
 public:
  virtual ~ForkObserver() = default;
  virtual void fork() = 0;
  virtual void second() = 0;
  virtual void join() = 0;
  /// The strand leases this memory (local_memory.hpp): on another processor it would lease other memory.
  virtual void lease(const std::byte*, std::size_t /*bytes*/) {}
};

/// Runs the plan of `width` threads on the calling one, in the order of the serial elision. A parallel loop
/// is forked by halves, as OneTbb does, down to an eighth of a thread's share of the iterations.
class Recorded : public ForksByHalves<Recorded> {
 public:
  /// `width` >= 1. The observer must outlive the policy.
  explicit Recorded(ForkObserver& observer, Index width = 1) : observer_(&observer), width_(width) {}

  template <class F, class G>
  void operator()(F&& f, G&& g) const {
    detail::require_no_lease();
    observer_->fork();
    f();
    observer_->second();
    g();
    observer_->join();
  }
  void observe_lease(const std::byte* memory, std::size_t bytes) const { observer_->lease(memory, bytes); }
  Index grain(Index count) const { return std::max<Index>(1, count / (8 * width_)); }
  Index width() const { return width_; }

 private:
  ForkObserver* observer_;
  Index width_;
};

}  // namespace tallcache
