#include "blas/threads.hpp"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>

#include "common/fork/processors.hpp"

namespace tallcache::blas {
namespace {

/// The variable's number, the first of a list; 0 without one.
int number_in(const char* variable) {
  const char* text = std::getenv(variable);
  return text ? static_cast<int>(std::clamp(std::strtol(text, nullptr, 10), 0L, 1L << 20)) : 0;
}

int number_of_environment() {
  for (const char* variable : {"TALLCACHE_NUM_THREADS", "OMP_NUM_THREADS"})
    if (const int number = number_in(variable)) return number;
  return 0;
}

/// What was asked for; 0: nothing.
std::atomic<int>& chosen() {
  static std::atomic<int> threads{number_of_environment()};
  return threads;
}

/// Whether this process is a child of fork() that the library has been used in before.
std::atomic<bool> is_child{false};

bool is_alone() {
  // Where the system does not tell of a fork(), any process might be a child.
  static const bool is_told = pthread_atfork(nullptr, nullptr, [] { is_child = true; }) == 0;
  return !is_told || is_child;
}

int default_number() {
  try {
    return default_threads();
  } catch (...) {  // no memory to read the quota with
    return usable_threads();
  }
}

}  // namespace

int threads_outside() noexcept {
  if (is_alone()) return 1;
  const int number = chosen();
  return number > 0 ? std::min(number, usable_threads()) : default_number();
}

int threads() noexcept {
  const int number = threads_outside();
  return number == 1 || in_openmp_region() ? 1 : number;
}

void set_threads(int threads) noexcept { chosen() = std::max(1, threads); }

}  // namespace tallcache::blas
