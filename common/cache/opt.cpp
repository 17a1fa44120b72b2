#include "common/cache/opt.hpp"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <string>

#include "common/error.hpp"

namespace tallcache::cache {

TimeSet::TimeSet(std::uint64_t size) {
  do {
    size = (size + 63) / 64;
    levels_.emplace_back(std::max<std::uint64_t>(size, 1));
  } while (size > 1);
}

void TimeSet::insert(std::uint64_t time) {
  for (auto& level : levels_) {
    std::uint64_t& bits = level[time / 64];
    const bool known_above = bits != 0;
    bits |= std::uint64_t{1} << time % 64;
    if (known_above) return;
    time /= 64;
  }
}

void TimeSet::erase(std::uint64_t time) {
  for (auto& level : levels_) {
    std::uint64_t& bits = level[time / 64];
    bits &= ~(std::uint64_t{1} << time % 64);
    if (bits) return;
    time /= 64;
  }
}

std::uint64_t TimeSet::largest() const {
  std::uint64_t position = 0;
  for (auto level = levels_.rbegin(); level != levels_.rend(); ++level)
    position = 64 * position + 63 - static_cast<unsigned>(std::countl_zero((*level)[position]));
  return position;
}

OptCache::OptCache(std::size_t max_bytes) : max_bytes_(max_bytes) {}

std::size_t OptCache::half_of_memory() {
  return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) / 2 *
         static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

// The memory of the next uses, of the bits in the replay's set and its 64-way summary, and of each line's
// latest access.
std::size_t OptCache::bytes_needed(std::uint64_t accesses, std::uint64_t distinct_lines) {
  return (accesses / chunk + 1) * chunk * sizeof(std::uint32_t) + accesses / 7 +
         distinct_lines * sizeof(std::uint32_t);
}

void OptCache::consume(const Block& block) {
  latest_.resize(block.addresses.size(), never);
  for (const LineAccess& access : block.accesses) {
    accesses_ += access.loads() + access.stores();
    std::uint32_t& latest = latest_[access.line];
    if (latest != never && latest + 1 == recorded_) continue;  // a repeat that a block's border kept apart
    if (recorded_ % chunk == 0) {
      if (const std::size_t bytes = bytes_needed(recorded_, distinct_);
          bytes > max_bytes_ || recorded_ + chunk > never)
        throw Error("optimal replacement keeps the whole trace: " + std::to_string(accesses_) +
                    " accesses so far need " + std::to_string(bytes >> 20) + " MiB of the " +
                    std::to_string(max_bytes_ >> 20) +
                    " MiB allowed and there are more to come; trace a smaller size");
      next_.push_back(std::make_unique_for_overwrite<std::uint32_t[]>(chunk));
    }
    if (latest == never)
      ++distinct_;
    else
      next(latest) = static_cast<std::uint32_t>(recorded_);
    latest = static_cast<std::uint32_t>(recorded_);
    next(recorded_++) = never;
  }
}

std::uint64_t OptCache::misses(std::size_t lines) const {
  if (lines == 0) throw Error("an optimal cache of 0 lines: it must have at least 1");
  TimeSet uses(recorded_);
  std::uint64_t misses = 0;
  std::size_t resident = 0, unused = 0;  // unused: those resident lines that are never used again
  for (std::uint64_t time = 0; time < recorded_; ++time) {
    if (uses.contains(time)) {
      uses.erase(time);
    } else {
      ++misses;
      if (resident < lines)
        ++resident;
      else if (unused > 0)
        --unused;
      else
        uses.erase(uses.largest());
    }
    const std::uint32_t next = next_[time / chunk][time % chunk];
    if (next == never)
      ++unused;
    else
      uses.insert(next);
  }
  return misses;
}

}  // namespace tallcache::cache
