// The ideal cache with optimal replacement (Belady 1966): the line whose next use is farthest in the future
// is replaced.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "common/cache/model.hpp"

namespace tallcache::cache {

/// A set of times below `size`, as a tree of 64-way bitmaps: insert, erase and the maximum touch one word of
/// each level.
class TimeSet {
 public:
  explicit TimeSet(std::uint64_t size);
  bool contains(std::uint64_t time) const { return levels_[0][time / 64] >> time % 64 & 1; }
  void insert(std::uint64_t time);
  void erase(std::uint64_t time);
  /// Of a set that is not empty.
  std::uint64_t largest() const;

 private:
  std::vector<std::vector<std::uint64_t>> levels_;  // [0] has a bit a time, [i + 1] a bit a word of [i]
};

/// Records the next use of every access (4 bytes each; repeats of a line are folded), then counts OPT's
/// misses for any capacity. A resident line is identified by the time of its next use alone, so the replay
/// needs no line numbers: an access hits when its own time is in the set, and a replacement removes the
/// largest time.
class OptCache : public Model {
 public:
  /// `max_bytes`: the memory that recording may take. consume throws Error when the trace needs more.
  explicit OptCache(std::size_t max_bytes = half_of_memory());

  void consume(const Block& block) override;

  std::uint64_t accesses() const { return accesses_; }
  std::uint64_t distinct_lines() const { return distinct_; }
  /// The misses of an optimal cache of `lines` lines. Throws Error below 1. Replays the trace, at some 10 ns
  /// an access.
  std::uint64_t misses(std::size_t lines) const;

  /// An upper bound of the memory that a trace needs, which assumes that no repeats are folded.
  static std::size_t bytes_needed(std::uint64_t accesses, std::uint64_t distinct_lines);
  static std::size_t half_of_memory();

 private:
  static constexpr std::uint32_t never = ~std::uint32_t{0};
  static constexpr std::size_t chunk = std::size_t{1} << 20;

  std::uint32_t& next(std::uint64_t time) { return next_[time / chunk][time % chunk]; }

  std::size_t max_bytes_;
  std::uint64_t accesses_ = 0, recorded_ = 0, distinct_ = 0;
  std::vector<std::unique_ptr<std::uint32_t[]>>
      next_;                           // of each recorded access: the time of the next one, or never
  std::vector<std::uint32_t> latest_;  // of each line: its latest access so far, or never
};

}  // namespace tallcache::cache
