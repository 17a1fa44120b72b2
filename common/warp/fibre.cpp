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

#if defined(__USE_FORTIFY_LEVEL) && __USE_FORTIFY_LEVEL > 0
#error "a header of the C library came before _FORTIFY_SOURCE was undefined"
#endif

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
// The sanitizer takes libc's longjmp for the end of all frames: at each switch it forgets what it knows of
// the stack, which hides errors there, and makes a system call. The compiler's own jump stays unseen in
// functions that are not instrumented. The five words that it needs fit in a jmp_buf.
#define TALLCACHE_MARK(buffer) __builtin_setjmp(reinterpret_cast<void**>(buffer))
#define TALLCACHE_JUMP(buffer) __builtin_longjmp(reinterpret_cast<void**>(buffer), 1)
#define TALLCACHE_SWITCHES __attribute__((noinline, no_sanitize_address))
#else
#define TALLCACHE_MARK(buffer) _setjmp(buffer)
#define TALLCACHE_JUMP(buffer) _longjmp(buffer, 1)
#define TALLCACHE_SWITCHES
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
// Memory of a stack bears the marks of frames that were left on it: before it is entered anew or given back.
void forget_frames([[maybe_unused]] const void* stack, [[maybe_unused]] std::size_t bytes) {
#ifdef __SANITIZE_ADDRESS__
  __asan_unpoison_memory_region(stack, bytes);
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

Stacks::~Stacks() {
  forget_frames(base_, mapped_);
  munmap(base_, mapped_);
}

void Fibre::start(unsigned high, unsigned low) {
  reinterpret_cast<Fibre*>(static_cast<std::uintptr_t>(high) << 32 | low)->enter();
}

void Fibre::enter() {
  arrive(nullptr, &outside_stack_, &outside_bytes_);
  entry_(argument_);
  std::abort();
}

TALLCACHE_SWITCHES void Fibre::resume() {
  leave(&outside_fake_, stack_, Stacks::bytes);
  if (TALLCACHE_MARK(outside_) == 0) {
    if (started_) TALLCACHE_JUMP(inside_);
    started_ = true;
    forget_frames(stack_, Stacks::bytes);
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

TALLCACHE_SWITCHES void Fibre::suspend() {
  leave(&inside_fake_, outside_stack_, outside_bytes_);
  if (TALLCACHE_MARK(inside_) == 0) TALLCACHE_JUMP(outside_);
  arrive(inside_fake_, &outside_stack_, &outside_bytes_);
}

}  // namespace tallcache::warp
