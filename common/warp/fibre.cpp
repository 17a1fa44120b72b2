// A stack is entered by makecontext, and switched by setjmp and longjmp, which unlike swapcontext make
// no system call. QEMU's coroutines do the same. glibc's check of longjmp assumes one stack and is
// therefore off.
#undef _FORTIFY_SOURCE
#include "common/warp/fibre.hpp"

#include <sys/mman.h>
#include <ucontext.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "common/error.hpp"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#endif

namespace tallcache::warp {
namespace {

// Tells the address sanitizer, before a switch to another stack and as the first call on it. Does nothing
// without the sanitizer.
void leave([[maybe_unused]] void** own_fake, [[maybe_unused]] const void* stack,
           [[maybe_unused]] std::size_t bytes) {
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_start_switch_fiber(own_fake, stack, bytes);
#endif
}
void arrive([[maybe_unused]] void* own_fake, [[maybe_unused]] const void** stack,
            [[maybe_unused]] std::size_t* bytes) {
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_finish_switch_fiber(own_fake, stack, bytes);
#endif
}

}  // namespace

Stacks::Stacks(std::size_t number) : mapped_(number * (bytes + guard)) {
  void* region =
      mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (region == MAP_FAILED) throw Error("no memory for the stacks of " + std::to_string(number) + " threads");
  base_ = static_cast<std::byte*>(region);
  for (std::size_t i = 0; i < number; ++i) mprotect((*this)[i] - guard, guard, PROT_NONE);
}

Stacks::~Stacks() { munmap(base_, mapped_); }

void Fibre::start(unsigned high, unsigned low) {
  reinterpret_cast<Fibre*>(static_cast<std::uintptr_t>(high) << 32 | low)->enter();
}

void Fibre::enter() {
  arrive(nullptr, &outside_stack_, &outside_bytes_);
  entry_(argument_);
  std::abort();
}

void Fibre::resume() {
  leave(&outside_fake_, stack_, Stacks::bytes);
  if (_setjmp(outside_) == 0) {
    if (started_) _longjmp(inside_, 1);
    started_ = true;
    ucontext_t context;
    getcontext(&context);
    context.uc_stack.ss_sp = stack_;
    context.uc_stack.ss_size = Stacks::bytes;
    context.uc_link = nullptr;
    const auto self = reinterpret_cast<std::uintptr_t>(this);
    makecontext(&context, reinterpret_cast<void (*)()>(&start), 2, static_cast<unsigned>(self >> 32),
                static_cast<unsigned>(self));
    setcontext(&context);
  }
  arrive(outside_fake_, nullptr, nullptr);
}

void Fibre::suspend() {
  leave(&inside_fake_, outside_stack_, outside_bytes_);
  if (_setjmp(inside_) == 0) _longjmp(outside_, 1);
  arrive(inside_fake_, &outside_stack_, &outside_bytes_);
}

}  // namespace tallcache::warp
