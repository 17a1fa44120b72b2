#include "tests/blas/stand_ins.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>

namespace tallcache::test {
namespace {

/// Whether this call is refused.
bool is_over(std::atomic<long>& left) {
  long now = left.load();
  while (now > 0)
    if (left.compare_exchange_weak(now, now - 1)) return false;
  return now == 0;
}

bool has_memory() {
  if (!is_over(memory_left)) return true;
  errno = ENOMEM;
  return false;
}

// The place in the C library that keeps an error of dlopen().
std::atomic<bool> learns{false};
std::atomic<void*> keeps_errors{nullptr};

}  // namespace

void spare_errors_of_dlopen() {
  learns = true;
  dlsym(RTLD_DEFAULT, "no such symbol");
  learns = false;
}

std::atomic<long> threads_left{no_limit}, memory_left{no_limit}, largest_aligned{no_limit};
std::atomic<long> seconds_passed{0};
std::atomic<int> pretended_processors{0};

}  // namespace tallcache::test

using namespace tallcache::test;

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

#define STAND_IN __attribute__((visibility("default")))

STAND_IN void* malloc(std::size_t size) {
  void* const caller = __builtin_return_address(0);
  if (learns) keeps_errors = caller;  // the last call is that
  return caller == keeps_errors || has_memory() ? __libc_malloc(size) : nullptr;
}
STAND_IN void* calloc(std::size_t count, std::size_t size) {
  return has_memory() ? __libc_calloc(count, size) : nullptr;
}
STAND_IN void* realloc(void* data, std::size_t size) {
  return has_memory() ? __libc_realloc(data, size) : nullptr;
}
STAND_IN void* memalign(std::size_t alignment, std::size_t size) {
  return has_memory() ? __libc_memalign(alignment, size) : nullptr;
}
STAND_IN void* aligned_alloc(std::size_t alignment, std::size_t size) {
  if (largest_aligned != no_limit && size > static_cast<std::size_t>(largest_aligned)) return nullptr;
  return memalign(alignment, size);
}
STAND_IN int posix_memalign(void** data, std::size_t alignment, std::size_t size) {
  *data = memalign(alignment, size);
  return *data ? 0 : ENOMEM;
}
STAND_IN void* mmap(void* at, std::size_t size, int protection, int flags, int file, off_t offset) {
  if (!has_memory()) return MAP_FAILED;
  return reinterpret_cast<void*>(syscall(SYS_mmap, at, size, protection, flags, file, offset));
}

STAND_IN int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*),
                            void* data) {
  if (is_over(threads_left)) return EAGAIN;
  static const auto real = reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
  return real(thread, attributes, run, data);
}

STAND_IN int clock_gettime(clockid_t clock, timespec* now) {
  const int status = static_cast<int>(syscall(SYS_clock_gettime, clock, now));
  if (clock == CLOCK_MONOTONIC) now->tv_sec += seconds_passed;
  return status;
}

STAND_IN int sched_getaffinity(pid_t thread, std::size_t size, cpu_set_t* set) {
  std::memset(set, 0, size);
  if (const int processors = pretended_processors) {
    for (int processor = 0; processor < processors; ++processor) CPU_SET_S(processor, size, set);
    return 0;
  }
  return syscall(SYS_sched_getaffinity, thread, size, set) < 0 ? -1 : 0;
}
}
