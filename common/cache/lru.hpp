// The ideal cache of Frigo et al. 1999 with least-recently-used replacement: fully associative,
// `lines` lines.
#pragma once

#include <cstdint>
#include <vector>

#include "common/cache/model.hpp"

namespace tallcache::cache {

/// LRU without a linked list. Every access appends its line to a queue and stores the position as the line's
/// latest one. The least recently used line is the first in the queue whose latest position is still the one
/// in the queue. Each entry is appended once and dropped once, in sequence, so that an access costs one
/// look-up and no pointer chasing. The look-ups of evictions are known ahead and are prefetched.
class LruCache : public Model {
 public:
  /// lines >= 1, else throws Error. cache_lines(Z, L) makes it from bytes.
  explicit LruCache(std::size_t lines);

  void consume(const Block& block) override;

  /// Returns true on a hit. A miss that does not allocate changes nothing.
  bool access(Line line, bool allocate = true) {
    if (line >= latest_.size()) [[unlikely]]
      latest_.resize(line + 1, not_cached);
    return access_known(line, allocate);
  }

  std::size_t lines() const { return lines_; }
  std::uint64_t accesses() const { return accesses_; }
  std::uint64_t misses() const { return misses_; }

 private:
  static constexpr std::uint32_t not_cached = ~std::uint32_t{0};
  static constexpr std::size_t ahead = 16;  // entries between a prefetch and its use

  bool access_known(Line line, bool allocate);
  void evict();
  void compact();

  std::size_t lines_, resident_ = 0;
  std::uint64_t accesses_ = 0, misses_ = 0;
  std::vector<std::uint32_t> latest_;  // of each line: its last place in the queue, or absent
  std::vector<Line> queue_;
  std::size_t head_ = 0, tail_ = 0;
};

inline bool LruCache::access_known(Line line, bool allocate) {
  const bool hit = latest_[line] != not_cached;
  if (!hit) {
    ++misses_;
    if (!allocate) return false;
    if (resident_ == lines_)
      evict();
    else
      ++resident_;
  }
  if (tail_ == queue_.size()) [[unlikely]]
    compact();
  latest_[line] = static_cast<std::uint32_t>(tail_);
  queue_[tail_++] = line;
  return hit;
}

inline void LruCache::evict() {
  for (bool live = false; !live; ++head_) {
    if (head_ + ahead < tail_) __builtin_prefetch(&latest_[queue_[head_ + ahead]], 1);
    std::uint32_t& latest = latest_[queue_[head_]];
    live = latest == head_;
    if (live) latest = not_cached;
  }
}

}  // namespace tallcache::cache
