// Stackful coroutines. The threads of a block each have a stack of their own, and one of them runs at a time.
#pragma once

#include <csetjmp>
#include <cstddef>
#include <memory>

namespace tallcache::warp {

/// Stacks for `number` fibres, with an inaccessible page between them. Throws Error when memory is short.
class Stacks {
 public:
  explicit Stacks(std::size_t number);
  ~Stacks();
  Stacks(const Stacks&) = delete;
  Stacks& operator=(const Stacks&) = delete;

  static constexpr std::size_t bytes = 128 << 10;
  std::byte* operator[](std::size_t i) const { return base_ + i * (bytes + guard) + guard; }

 private:
  static constexpr std::size_t guard = 4096;
  std::byte* base_;
  std::size_t mapped_;
};

/// Runs entry(argument) on its own stack. The entry never returns; it suspends instead.
class Fibre {
 public:
  Fibre(std::byte* stack, void (*entry)(void*), void* argument)
      : stack_(stack), entry_(entry), argument_(argument) {}
  Fibre(const Fibre&) = delete;
  Fibre& operator=(const Fibre&) = delete;

  /// Runs the fibre until it suspends. Called from outside.
  void resume();
  /// Returns to the caller of resume(). Called by the fibre.
  void suspend();

 private:
  static void start(unsigned high, unsigned low);
  void enter();

  std::byte* stack_;
  void (*entry_)(void*);
  void* argument_;
  bool started_ = false;
  std::jmp_buf outside_, inside_;
  // The address sanitizer's view of the stacks; unused without it.
  void *outside_fake_ = nullptr, *inside_fake_ = nullptr;
  const void* outside_stack_ = nullptr;
  std::size_t outside_bytes_ = 0;
};

}  // namespace tallcache::warp
