#include "blas/calls.hpp"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace tallcache::blas {
namespace {

constexpr std::array names{
#define ROUTINE(name, interface) "s" #name, "d" #name,
#define ALSO(name, interface)
#include "blas/routines.def"
#undef ROUTINE
#undef ALSO
};
constexpr std::size_t most_of_a_routine = 40;  // characters: 20 digits, " calls of ", a name, a comma
constinit std::array<std::atomic<std::uint64_t>, names.size()> counts{};
constinit bool is_verbose = false;

/// One write() of its own, as the host may have closed or redirected its streams by now. A reader of standard
/// error that has gone away must not end the program by SIGPIPE.
void write_to_standard_error(const char* text, std::size_t size) {
  sigset_t pipe, before;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  if (pthread_sigmask(SIG_BLOCK, &pipe, &before) != 0) return;
  sigset_t pending;
  const bool was_pending = sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE) == 1;
  const bool written = write(STDERR_FILENO, text, size) >= 0;
  const timespec at_once{};
  if (!written && !was_pending) sigtimedwait(&pipe, nullptr, &at_once);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

__attribute__((constructor)) void read_environment() {
  const char* const text = std::getenv("TALLCACHE_BLAS_VERBOSE");
  is_verbose = text && *text && std::strcmp(text, "0") != 0;
  // A child of fork() tells of its own calls.
  if (is_verbose)
    pthread_atfork(nullptr, nullptr, [] {
      for (auto& count : counts) count = 0;
    });
}

__attribute__((destructor)) void report() {
  if (!is_verbose) return;
  char line[64 + names.size() * most_of_a_routine] = "tallcache_blas: no calls";
  std::size_t size = calls() == 0 ? std::strlen(line) : 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::uint64_t count = counts[i];
    if (count == 0) continue;
    const char* const before = size == 0 ? "tallcache_blas: " : ", ";
    const char* const what = size > 0 ? "" : count == 1 ? " call" : " calls";
    size += static_cast<std::size_t>(std::snprintf(line + size, sizeof line - size, "%s%" PRIu64 "%s of %s",
                                                   before, count, what, names[i]));
  }
  line[size++] = '\n';
  write_to_standard_error(line, size);
}

}  // namespace

// An atomic addition takes as long as a small product.
void count_call(Routine routine, bool in_double) noexcept {
  auto& count = counts[2 * static_cast<std::size_t>(routine) + (in_double ? 1 : 0)];
  if (is_verbose) {
    count.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

std::uint64_t calls() noexcept {
  std::uint64_t sum = 0;
  for (const auto& count : counts) sum += count.load(std::memory_order_relaxed);
  return sum;
}

}  // namespace tallcache::blas
