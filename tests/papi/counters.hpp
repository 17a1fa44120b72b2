// What the tests of counting through PAPI count: the simulated events, and page faults, which the kernel
// counts per thread on every machine that lets PAPI count at all.
#pragma once

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "common/error.hpp"
#include "common/papi/counting.hpp"
#include "common/papi/event_set.hpp"
#include "common/papi/simulated.hpp"

namespace tallcache::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

inline constexpr char faults[] = "perf::PAGE-FAULTS";
inline constexpr char l1_misses[] = "sde:::tallcache::L1_DCM";

inline SimulatedCounters& counters() {
  simulated_counters().publish({Simulated::accesses, Simulated::l1_misses, Simulated::l2_misses});
  return simulated_counters();
}

inline std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

inline EventSet& with(EventSet& set, const char* name) {
  EXPECT_EQ(set.add(find_event(name)), "") << name;
  return set;
}

// Touches `pages` pages that were never touched, small ones: as many page faults on this thread.
inline void fault(std::size_t pages) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* memory = mmap(nullptr, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  madvise(memory, pages * page, MADV_NOHUGEPAGE);
  for (std::size_t i = 0; i < pages; ++i) static_cast<volatile char*>(memory)[i * page] = 1;
  munmap(memory, pages * page);
}

// What threads fault beside (their stacks, oneTBB's and PAPI's memory) is less than 64 pages each; a
// sanitizer's shadow memory is not, so that there the count has no upper limit.
inline void expect_faults(const std::optional<long long>& count, long long pages, int threads = 1) {
  ASSERT_TRUE(count);
  EXPECT_GE(*count, pages);
  if (!sanitized) {
    EXPECT_LT(*count, pages + 64 * threads);
  }
}

// Why page faults cannot be counted here, or empty.
inline std::string no_faults() {
  return Counting({faults}).run([] {}).front().reason;
}

}  // namespace tallcache::test
