// The second-level cache of a GPU as an LRU of its size that is fed with the requests of a kernel's text in
// the order of its blocks. The blocks of a device run side by side and its first-level caches keep some loads
// away, so that this is an estimate. A report states its error beside the counters.
#pragma once

#include <cstdint>
#include <vector>

#include "common/cache/line_numbers.hpp"
#include "common/cache/lru.hpp"
#include "common/cache/requests.hpp"

namespace tallcache::warp {

class L2 {
 public:
  /// A cache of `bytes`, in lines of 64 bytes: what memory gives at once (two sectors). Throws Error on one
  /// of less than a line.
  explicit L2(std::size_t bytes) : lru_(bytes / line_bytes) {}

  /// A request to global memory; others change nothing. A line that a load itself brings in is no hit. A
  /// store brings nothing in, and a device counts it as a hit.
  void consume(const cache::WarpMachine&, const cache::WarpRequest&);

  /// The counts begin anew; what is cached stays.
  void clear() { counts_ = {}; }

  struct Counts {
    std::uint64_t sectors = 0, hits = 0;  ///< of 32 bytes
    std::uint64_t bytes_read = 0;         ///< from DRAM; a store that misses reads nothing
    std::uint64_t bytes_written = 0;      ///< to DRAM, of lines that were evicted and come again
    double hit_rate() const { return static_cast<double>(hits) / static_cast<double>(sectors); }
  };
  const Counts& counts() const { return counts_; }

  static constexpr std::size_t line_bytes = 64;

 private:
  cache::LineNumbers numbers_;
  cache::LruCache lru_;
  std::vector<bool> dirty_;
  Counts counts_;
};

}  // namespace tallcache::warp
