// Measurements of a device's memory: how long it takes, and how fast it is under one condition.
#pragma once

#include <cstddef>

namespace tallcache {

enum class MemoryProbe {
  // Dependent loads by one thread, in random order where not said otherwise.
  registers,        ///< no load: additions of products, each of which needs the one before
  constant,         ///< of constant memory, 1 KiB, which its first cache holds
  local,            ///< of the thread's own memory, 1 KiB, which the first-level cache holds
  shared,           ///< of shared memory
  latency,          ///< of global memory: lines of `size` bytes, the caches warm; the mean of multiprocessors
  stride,           ///< loads of 4 bytes by all threads, neighbours `size` elements apart
  bytes_in_flight,  ///< copies of 16 bytes into shared memory, `size` bytes under way on a multiprocessor
  occupancy,        ///< loads of 4 bytes by blocks of 256 that stay, each with `size` bytes of shared memory
};

struct ProbeResult {
  double seconds = 0;
  double cycles = 0;  ///< of a load; 0 where loads overlap
  double loads = 0;   ///< one after another, or in all
  double bytes = 0;   ///< that the threads asked for
  int blocks = 0;     ///< on a multiprocessor
  int threads_of_block = 0;
  int max_threads = 0;  ///< that a multiprocessor holds
};

/// The memory of one device, ready to be measured.
class MemoryProbes {
 public:
  virtual ~MemoryProbes() = default;
  /// Throws Error on a size that the device does not have, and when the device fails.
  virtual ProbeResult run(MemoryProbe, std::size_t size) = 0;
};

}  // namespace tallcache
