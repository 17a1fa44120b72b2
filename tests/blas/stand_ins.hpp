// What the system refuses or pretends, for a test program: the program's own definitions come before the C
// library's for all libraries that it loads.
#pragma once

#include <atomic>

namespace tallcache::test {

inline constexpr long no_limit = -1;

/// So many more calls get a thread, or memory; the others are refused. no_limit: none is.
extern std::atomic<long> threads_left, memory_left;

/// Larger requests of aligned_alloc() are refused; no_limit: none is.
extern std::atomic<long> largest_aligned;

/// From now on the C library has the memory in which it keeps an error of dlopen(), whatever is refused:
/// without, glibc 2.36 crashes, and oneTBB looks for libraries that may be missing. To be called before any
/// such error.
void spare_errors_of_dlopen();

/// So many seconds later than it is for the steady clock.
extern std::atomic<long> seconds_passed;

/// The number of processors that the affinity mask of every thread shows; 0: its own.
extern std::atomic<int> pretended_processors;

}  // namespace tallcache::test
