#include "blas/threads.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>
#include <utility>
#include <vector>

#include "common/ceil_div.hpp"
#include "common/fork/one_tbb.hpp"

namespace tallcache::blas {
namespace {

/// The variable's number, the first of a list; 0 without one.
int number_in(const char* variable) {
  const char* text = std::getenv(variable);
  return text ? static_cast<int>(std::clamp(std::strtol(text, nullptr, 10), 0L, 1L << 20)) : 0;
}

int in_range(int threads) { return std::clamp(threads, 1, usable_threads()); }

std::atomic<int>& chosen() {
  static std::atomic<int> threads{[] {
    // A program's threads stay where the program put them.
    pin_threads(false);
    pthread_atfork(nullptr, nullptr, [] { chosen() = 1; });
    for (const char* variable : {"TALLCACHE_NUM_THREADS", "OMP_NUM_THREADS"})
      if (const int number = number_in(variable)) return in_range(number);
    return usable_threads();
  }()};
  return threads;
}

/// OpenMP's runtime is the program's, if it has one; it may be loaded later than this library.
bool in_openmp_region() {
  const auto in_parallel = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "omp_in_parallel"));
  return in_parallel && in_parallel() != 0;
}

constexpr std::size_t huge_page = std::size_t{2} << 20;

std::span<std::byte> allocate(std::size_t bytes) {
  const std::size_t alignment = bytes < huge_page ? 64 : huge_page;
  const std::size_t size = ceil_div(bytes, alignment) * alignment;
  void* const data = std::aligned_alloc(alignment, size);
  if (!data) throw std::bad_alloc();
  if (alignment == huge_page) madvise(data, size, MADV_HUGEPAGE);  // a hint
  return {static_cast<std::byte*>(data), size};
}

/// Buffers that no lease of the thread holds.
struct Pool {
  std::vector<std::span<std::byte>> free;
  std::size_t bytes = 0;
  ~Pool() {
    for (const auto& buffer : free) std::free(buffer.data());
  }
};
thread_local Pool pool;

}  // namespace

int threads_outside() { return chosen(); }
int threads() { return chosen() == 1 || in_openmp_region() ? 1 : chosen().load(); }
void set_threads(int threads) { chosen() = in_range(threads); }

Lease::Lease(std::size_t bytes) {
  if (bytes == 0) return;
  auto& free = pool.free;
  // The smallest that is large enough.
  auto best = free.end();
  for (auto buffer = free.begin(); buffer != free.end(); ++buffer)
    if (buffer->size() >= bytes && (best == free.end() || buffer->size() < best->size())) best = buffer;
  if (best == free.end()) {
    bytes_ = allocate(bytes);
    return;
  }
  bytes_ = *best;
  pool.bytes -= best->size();
  *best = free.back();
  free.pop_back();
}

Lease::~Lease() {
  if (bytes_.empty()) return;
  if (pool.bytes + bytes_.size() > kept_bytes) {
    std::free(bytes_.data());
  } else {
    pool.free.push_back(bytes_);
    pool.bytes += bytes_.size();
  }
}

}  // namespace tallcache::blas
