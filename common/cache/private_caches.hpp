// The misses of scheduled strands in private caches.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "common/cache/lru.hpp"
#include "common/cache/msi.hpp"
#include "common/cache/schedule.hpp"

namespace tallcache::cache {

/// The memory that P ideal caches, or P coherent ones, may take, in bytes: 4 for each cache and line, 16
/// where they are coherent.
inline constexpr std::size_t max_private_bytes = std::size_t{1} << 30;

/// Called between some thousand accesses. What it throws ends the run.
using Between = std::function<void()>;

/// P private ideal caches (fully associative, LRU) of each of several sizes. With one size a miss may take
/// steps more than a hit.
class PrivateCaches : public StrandRunner {
 public:
  /// `lines`: of a cache, for each size. Throws Error as LruCache does, where the caches take more than
  /// max_private_bytes, and where misses of several sizes take steps.
  PrivateCaches(
      const Strands&, int processors, std::span<const std::size_t> lines, std::uint64_t miss_steps = 0,
      Between between = [] {});

  std::uint64_t run(int processor, StrandNumber strand, std::uint64_t start) override;

  /// Q_P of the size at `index`: of all processors together.
  std::uint64_t misses(std::size_t index) const;

 private:
  const Strands& strands_;
  std::uint64_t miss_steps_, made_ = 0;
  Between between_;
  std::vector<std::vector<LruCache>> caches_;  // of each processor: one of each size
};

/// Replays a schedule of strands that keep their bytes onto caches with coherence between them, access by
/// access in the order of time; at equal times the processor of the lower number is first. A miss takes no
/// steps. Throws Error as MsiCaches does, and where the caches take more than max_private_bytes.
/// `placed`: as KeptSchedule has it.
SharingCounts coherent_misses(
    const Strands&, std::span<const ScheduledStrand> placed, int processors, const CacheLevel& shape,
    const Between& between = [] {});

}  // namespace tallcache::cache
