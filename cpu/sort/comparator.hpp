// A comparator that may throw, or that is no order, inside an algorithm that moves records.
#pragma once

#include <atomic>
#include <exception>
#include <functional>

namespace tallcache::cpu::sort {

/// The first exception of a comparator. Any number of threads may use it at a time.
class Failure {
 public:
  /// Called while an exception is handled.
  void record() noexcept {
    if (!claimed_.exchange(true)) {
      first_ = std::current_exception();
      seen_.store(true, std::memory_order_release);
    }
  }
  bool seen() const { return seen_.load(std::memory_order_relaxed); }
  /// Throws the exception, after all threads are done.
  void rethrow() const {
    if (seen_.load(std::memory_order_acquire)) std::rethrow_exception(first_);
  }

 private:
  std::atomic<bool> claimed_{false}, seen_{false};
  std::exception_ptr first_;
};

/// A comparator that does not throw: where `less` does, neither record is less, and the failure is recorded.
/// An algorithm that ends with all records in place for any answers needs no clean-up of its own, then. Where
/// the compiler sees that `less` does not throw, nothing is left of this.
template <class Less>
struct Caught {
  Less* less;
  Failure* failure;

  /// It has thrown. What has no end in sight asks now and then, as a comparator may throw at each call.
  bool failed() const { return failure->seen(); }

  template <class A, class B>
  bool operator()(const A& a, const B& b) const noexcept {
    try {
      return static_cast<bool>(std::invoke(*less, a, b));
    } catch (...) {
      failure->record();
      return false;
    }
  }
};

}  // namespace tallcache::cpu::sort
