// The lines that a set-associative cache holds, least recently used within each set.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/cache/model.hpp"

namespace tallcache::cache {

/// Sets of `ways` entries, the most recent first: up to 16 of them lie in one cache line, and moving one to
/// the front beats keeping stamps.
class Sets {
 public:
  struct Entry {
    std::uint32_t line : 31, dirty : 1;
    friend bool operator==(Entry, Entry) = default;
  };
  static constexpr Entry empty{max_lines, 0};  // no line has this number

  Sets(std::size_t sets, std::size_t ways) : ways_(ways), entries_(sets * ways, empty) {}

  Entry* find(std::size_t set, Line line) {
    Entry* first = &entries_[set * ways_];
    for (Entry* entry = first; entry != first + ways_; ++entry)
      if (entry->line == line) return entry;
    return nullptr;
  }
  /// Makes `entry` the most recent of its set and returns its new place.
  Entry* touch(std::size_t set, Entry* entry) {
    Entry* first = &entries_[set * ways_];
    const Entry moved = *entry;
    std::copy_backward(first, entry, entry + 1);
    *first = moved;
    return first;
  }
  /// Puts `line` in as the most recent of its set and returns what made room: `empty`, or the least
  /// recent one.
  Entry insert(std::size_t set, Line line, bool dirty) {
    Entry* first = &entries_[set * ways_];
    const Entry victim = first[ways_ - 1];
    std::copy_backward(first, first + ways_ - 1, first + ways_);
    *first = {line, dirty};
    return victim;
  }
  /// Takes an entry out; its place is the next to be filled.
  void erase(std::size_t set, Entry* entry) {
    Entry* end = &entries_[set * ways_] + ways_;
    std::copy(entry + 1, end, entry);
    end[-1] = empty;
  }

  std::vector<Entry>& entries() { return entries_; }

 private:
  std::size_t ways_;
  std::vector<Entry> entries_;
};

}  // namespace tallcache::cache
