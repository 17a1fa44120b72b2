// Caches written as slowly and as simply as possible, as references for the models, and functions to
// feed both.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <list>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "common/cache/hierarchy.hpp"
#include "common/cache/tracer.hpp"
#include "common/random.hpp"

namespace tallcache::cache {

struct Reference {
  std::uint64_t address;
  std::size_t bytes;
  bool store;
};
using References = std::vector<Reference>;

inline void feed(std::size_t line, const References& references, std::vector<Model*> models) {
  trace(line, std::move(models), [&](Tracer& tracer) {
    for (const auto& [address, bytes, store] : references) {
      const void* pointer = reinterpret_cast<const void*>(address);
      store ? tracer.store(pointer, bytes) : tracer.load(pointer, bytes);
    }
  });
}

/// `count` accesses to whole lines of 64 bytes, `distinct` of them, some repeated at once, some `stride`
/// lines apart.
inline References random_references(std::uint64_t seed, std::size_t count, std::uint64_t distinct,
                                    std::uint64_t stride = 1) {
  References references;
  std::uint64_t line = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t kind = random_up_to(seed, 3 * i, 9);
    if (kind >= 4) line = random_up_to(seed, 3 * i + 1, distinct - 1);
    if (kind == 3) line = (line + 1) % distinct;
    references.push_back({0x10000 + 64 * stride * line + 8 * random_up_to(seed, 3 * i + 2, 7), 8,
                          random_up_to(seed + 1, i, 2) == 0});
  }
  return references;
}

inline std::vector<std::uint64_t> lines_of(const References& references, std::size_t line) {
  std::vector<std::uint64_t> lines;
  for (const auto& [address, bytes, store] : references)
    for (std::uint64_t at = address / line; at <= (address + bytes - 1) / line; ++at) lines.push_back(at);
  return lines;
}

enum class Replace { lru, fifo, most_recent };

/// A fully associative cache as a list, most recent first.
inline std::uint64_t slow_misses(const std::vector<std::uint64_t>& lines, std::size_t capacity,
                                 Replace replace = Replace::lru) {
  std::list<std::uint64_t> cache;
  std::uint64_t misses = 0;
  for (const std::uint64_t line : lines) {
    const auto found = std::find(cache.begin(), cache.end(), line);
    if (found != cache.end()) {
      if (replace != Replace::fifo) cache.splice(cache.begin(), cache, found);
      continue;
    }
    ++misses;
    if (cache.size() == capacity) replace == Replace::most_recent ? cache.pop_front() : cache.pop_back();
    cache.push_front(line);
  }
  return misses;
}

/// The minimum misses of any choice of victims, by trying them all.
inline std::uint64_t min_misses(const std::vector<std::uint64_t>& lines, std::size_t capacity) {
  std::map<std::set<std::uint64_t>, std::uint64_t> reached{{{}, 0}};
  for (const std::uint64_t line : lines) {
    std::map<std::set<std::uint64_t>, std::uint64_t> next;
    const auto reach = [&next](const std::set<std::uint64_t>& held, std::uint64_t misses) {
      const auto [at, is_new] = next.try_emplace(held, misses);
      if (!is_new) at->second = std::min(at->second, misses);
    };
    for (const auto& [held, misses] : reached) {
      if (held.contains(line)) {
        reach(held, misses);
        continue;
      }
      if (held.size() < capacity) {
        auto grown = held;
        grown.insert(line);
        reach(grown, misses + 1);
        continue;
      }
      for (const std::uint64_t victim : held) {
        auto changed = held;
        changed.erase(victim);
        changed.insert(line);
        reach(changed, misses + 1);
      }
    }
    reached = std::move(next);
  }
  std::uint64_t min = std::numeric_limits<std::uint64_t>::max();
  for (const auto& [held, misses] : reached) min = std::min(min, misses);
  return min;
}

/// Belady's rule applied to the trace itself: the resident line whose next use is `farthest` (or,
/// wrongly, nearest).
inline std::uint64_t slow_belady(const std::vector<std::uint64_t>& lines, std::size_t capacity,
                                 bool farthest = true) {
  std::vector<std::uint64_t> cache;
  std::uint64_t misses = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (std::find(cache.begin(), cache.end(), lines[i]) != cache.end()) continue;
    ++misses;
    if (cache.size() == capacity) {
      const auto next_use = [&](std::uint64_t line) {
        return std::find(lines.begin() + static_cast<std::ptrdiff_t>(i), lines.end(), line) - lines.begin();
      };
      const auto sooner = [&](std::uint64_t a, std::uint64_t b) { return next_use(a) < next_use(b); };
      cache.erase(farthest ? std::max_element(cache.begin(), cache.end(), sooner)
                           : std::min_element(cache.begin(), cache.end(), sooner));
    }
    cache.push_back(lines[i]);
  }
  return misses;
}

/// A hierarchy level by level, with one list for each set and one access at a time. The program's stores are
/// distinguished from write-backs.
class SlowHierarchy {
 public:
  explicit SlowHierarchy(const std::vector<CacheLevel>& shapes) {
    for (const CacheLevel& shape : shapes) levels_.push_back({shape, {}, {}, {}, {}});
  }

  void access(std::uint64_t address, bool store) { request(0, address, store, !store, store); }

  void flush() {
    for (std::size_t i = 0; i < levels_.size(); ++i)
      for (auto& [set, entries] : levels_[i].sets)
        for (Entry& entry : entries)
          if (std::exchange(entry.dirty, false)) {
            ++levels_[i].counts.write_backs;
            write_back(i + 1, entry.address);
          }
  }

  const LevelCounts& counts(std::size_t i) const { return levels_[i].counts; }
  std::uint64_t memory_reads = 0, memory_writes = 0;

 private:
  struct Entry {
    std::uint64_t address;  // of the line's first byte
    bool dirty;
  };
  struct Level {
    CacheLevel shape;
    std::map<std::uint64_t, std::list<Entry>> sets;
    std::list<std::uint64_t> ideal;
    std::set<std::uint64_t> seen;
    LevelCounts counts;
  };

  void request(std::size_t i, std::uint64_t address, bool store, bool fetch, bool write) {
    if (i == levels_.size()) {
      memory_reads += fetch;
      memory_writes += write;
      return;
    }
    Level& level = levels_[i];
    const std::uint64_t line = address / level.shape.line * level.shape.line;
    const bool allocate = fetch || level.shape.write_allocate;
    ++(store ? level.counts.stores : level.counts.loads);
    const bool ideal_hit = std::find(level.ideal.begin(), level.ideal.end(), line) != level.ideal.end();
    if (ideal_hit || allocate) {
      level.ideal.remove(line);
      level.ideal.push_front(line);
      if (level.ideal.size() > level.shape.bytes / level.shape.line) level.ideal.pop_back();
    }
    auto& set =
        level.sets[line / level.shape.line % (level.shape.bytes / level.shape.line / level.shape.ways)];
    auto found =
        std::find_if(set.begin(), set.end(), [&](const Entry& entry) { return entry.address == line; });
    const bool first = level.seen.insert(line).second;
    if (found == set.end()) {
      ++(store ? level.counts.store_misses : level.counts.load_misses);
      ++(first ? level.counts.cold : ideal_hit ? level.counts.conflict : level.counts.capacity);
      if (!allocate) return request(i + 1, address, store, false, true);
      request(i + 1, address, store, true, write && !level.shape.write_back);
      set.push_front({line, false});
      found = set.begin();
      if (set.size() > level.shape.ways) {
        const Entry victim = set.back();
        set.pop_back();
        if (victim.dirty) {
          ++level.counts.write_backs;
          write_back(i + 1, victim.address);
        }
      }
      if (level.shape.write_back) found->dirty = write;
      return;
    }
    set.splice(set.begin(), set, found);
    if (write && level.shape.write_back)
      set.front().dirty = true;
    else if (write)
      request(i + 1, address, store, false, true);
  }

  void write_back(std::size_t i, std::uint64_t address) {
    if (i == levels_.size()) {
      ++memory_writes;
      return;
    }
    Level& level = levels_[i];
    const std::uint64_t line = address / level.shape.line * level.shape.line;
    for (auto& [index, set] : level.sets)
      for (Entry& entry : set)
        if (entry.address == line && level.shape.write_back) {
          entry.dirty = true;
          return;
        }
    write_back(i + 1, address);
  }

  std::vector<Level> levels_;
};

}  // namespace tallcache::cache
