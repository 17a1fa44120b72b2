// Any fork policy: for a text that is compiled once, apart from the policies. A fork costs an indirect call
// more; Serial and Heartbeat, whose forks cost a few cycles, are compiled into the text.
#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <type_traits>

#include "common/fork/fork.hpp"

namespace tallcache {

/// Refers to a branch or a program of any type, which must outlive it.
class AnyBranch {
 public:
  template <class F>
  requires(!std::same_as<std::remove_cv_t<F>, AnyBranch>) explicit AnyBranch(F& function)
      : function_(const_cast<void*>(static_cast<const void*>(std::addressof(function)))),
        call_([](void* erased) { (*static_cast<F*>(erased))(); }) {}

  void operator()() const { call_(function_); }

 private:
  void* function_;
  void (*call_)(void*);
};

/// Forks through the policy that it refers to, which outlives it and says how many of `count` iterations a
/// leaf of a loop holds: grain(count) >= 1.
class AnyFork : public ForksByHalves<AnyFork> {
 public:
  template <class Fork>
  requires(!std::same_as<Fork, AnyFork>) explicit AnyFork(const Fork& fork)
      : fork_(&fork),
        run_([](const void* policy, AnyBranch f, AnyBranch g) { (*static_cast<const Fork*>(policy))(f, g); }),
        grain_(
            [](const void* policy, Index count) { return static_cast<const Fork*>(policy)->grain(count); }),
        observe_lease_([](const void* policy, const std::byte* memory, std::size_t bytes) {
          if constexpr (requires { static_cast<const Fork*>(policy)->observe_lease(memory, bytes); })
            static_cast<const Fork*>(policy)->observe_lease(memory, bytes);
        }),
        width_(fork.width()) {}

  template <class F, class G>
  void operator()(F&& f, G&& g) const {
    run_(fork_, AnyBranch(f), AnyBranch(g));
  }
  Index grain(Index count) const { return grain_(fork_, count); }
  void observe_lease(const std::byte* memory, std::size_t bytes) const {
    observe_lease_(fork_, memory, bytes);
  }
  Index width() const { return width_; }

 private:
  const void* fork_;
  void (*run_)(const void*, AnyBranch, AnyBranch);
  Index (*grain_)(const void*, Index);
  void (*observe_lease_)(const void*, const std::byte*, std::size_t);
  Index width_;
};

/// Refers to a program that forks through a policy of any type. It must outlive the reference.
class AnyProgram {
 public:
  template <class Program>
  requires(!std::same_as<std::remove_cv_t<Program>, AnyProgram>) explicit AnyProgram(Program& program)
      : program_(const_cast<void*>(static_cast<const void*>(std::addressof(program)))),
        run_([](void* erased, AnyFork& fork) { (*static_cast<Program*>(erased))(fork); }) {}

  void operator()(AnyFork& fork) const { run_(program_, fork); }

 private:
  void* program_;
  void (*run_)(void*, AnyFork&);
};

}  // namespace tallcache
