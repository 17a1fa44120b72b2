#include "common/cache/lru.hpp"

#include <algorithm>
#include <string>

#include "common/error.hpp"

namespace tallcache::cache {

LruCache::LruCache(std::size_t lines) : lines_(lines), queue_(1 << 12) {
  if (lines == 0 || lines > max_lines)
    throw Error("an LRU cache of " + std::to_string(lines) + " lines: it must have 1 to 2^31");
}

void LruCache::consume(const Block& block) {
  if (latest_.size() < block.addresses.size()) latest_.resize(block.addresses.size(), not_cached);
  const std::size_t size = block.accesses.size();
  for (std::size_t i = 0; i < size; ++i) {
    if (i + ahead < size) __builtin_prefetch(&latest_[block.accesses[i + ahead].line], 1);
    const LineAccess& access = block.accesses[i];
    accesses_ += access.loads() + access.stores();
    access_known(access.line, true);
  }
}

// Moves the live entries to the front, in order. The queue grows until they fill at most a quarter of it, so
// that compacting costs a fraction of an append.
void LruCache::compact() {
  std::size_t live = 0;
  for (std::size_t i = head_; i < tail_; ++i) {
    if (i + ahead < tail_) __builtin_prefetch(&latest_[queue_[i + ahead]], 1);
    const Line line = queue_[i];
    if (latest_[line] != i) continue;
    latest_[line] = static_cast<std::uint32_t>(live);
    queue_[live++] = line;
  }
  head_ = 0;
  tail_ = live;
  if (queue_.size() < 4 * live) queue_.resize(std::min(8 * live, max_lines + max_lines / 2));
}

}  // namespace tallcache::cache
