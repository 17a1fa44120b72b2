#include "common/cache/hierarchy.hpp"

#include <bit>
#include <string>

#include "common/error.hpp"

namespace tallcache::cache {

Hierarchy::Hierarchy(std::span<const CacheLevel> levels) {
  validate(levels);
  for (const CacheLevel& level : levels) levels_.emplace_back(level);
}

void Hierarchy::consume(const Block& block) {
  if (block.line_bytes != levels_[0].shape.line)
    throw Error("a trace in lines of " + std::to_string(block.line_bytes) +
                " bytes for a first level with lines of " + std::to_string(levels_[0].shape.line));
  levels_[0].set_of.resize(block.addresses.size(), unseen);
  for (const LineAccess& access : block.accesses) {
    const std::uint64_t address = block.addresses[access.line];
    const bool store = access.store;
    request(0, access.line, address, {store, !store, store});
    if (access.more_loads | access.more_stores) repeat(access, address);
  }
}

void Hierarchy::request(std::size_t level, Line line, std::uint64_t address, Request what) {
  Level& at = levels_[level];
  if (line >= at.set_of.size()) [[unlikely]]
    at.set_of.resize(line + 1, unseen);
  std::uint32_t& set = at.set_of[line];
  const bool cold = set == unseen;
  if (cold) set = static_cast<std::uint32_t>(address % at.shape.sets());

  ++(what.store ? at.counts.stores : at.counts.loads);
  const bool allocate = what.fetch || at.shape.write_allocate;
  const bool ideal_hit = at.ideal.access(line, allocate);
  if (Sets::Entry* entry = at.sets.find(set, line)) {
    entry = at.sets.touch(set, entry);
    if (what.write && at.shape.write_back)
      entry->dirty = 1;
    else if (what.write)
      request_below(level, line, address, {what.store, false, true});
    return;
  }
  ++(what.store ? at.counts.store_misses : at.counts.load_misses);
  ++(cold ? at.counts.cold : ideal_hit ? at.counts.conflict : at.counts.capacity);
  if (!allocate) return request_below(level, line, address, {what.store, false, true});
  request_below(level, line, address, {what.store, true, what.write && !at.shape.write_back});
  const Sets::Entry victim = at.sets.insert(set, line, what.write && at.shape.write_back);
  if (victim.dirty) {
    ++at.counts.write_backs;
    write_back_below(level, victim.line);
  }
}

void Hierarchy::request_below(std::size_t level, Line line, std::uint64_t address, Request what) {
  if (level + 1 == levels_.size()) {
    memory_reads_ += what.fetch;
    memory_writes_ += what.write;
  } else if (!longer_below(level)) {
    request(level + 1, line, address, what);
  } else {
    const std::uint64_t longer = levels_[level + 1].shape.line / levels_[level].shape.line;
    const std::uint64_t address_below = address / longer;
    const Line line_below = levels_[level + 1].numbers(address_below);
    std::vector<Line>& below = levels_[level].below;
    if (line >= below.size()) below.resize(line + 1);
    below[line] = line_below;
    request(level + 1, line_below, address_below, what);
  }
}

// The accesses that were folded into this one. They are hits, unless they are stores to a line that was not
// allocated: these go to the next level as well.
void Hierarchy::repeat(const LineAccess& access, std::uint64_t address) {
  Level& first = levels_[0];
  Sets::Entry* entry = first.sets.find(first.set_of[access.line], access.line);
  if (!entry) {
    for (unsigned i = 0; i < access.more_stores; ++i) request(0, access.line, address, {true, false, true});
    return;
  }
  first.counts.loads += access.more_loads;
  first.counts.stores += access.more_stores;
  if (first.shape.write_back)
    entry->dirty |= access.more_stores > 0;
  else
    for (unsigned i = 0; i < access.more_stores; ++i)
      request_below(0, access.line, address, {true, false, true});
}

// Every line of this level came through the levels below, so their numbers for it are known.
void Hierarchy::write_back_below(std::size_t level, Line line) {
  if (level + 1 == levels_.size()) {
    ++memory_writes_;
    return;
  }
  const Line below = longer_below(level) ? levels_[level].below[line] : line;
  Level& next = levels_[level + 1];
  Sets::Entry* entry = next.sets.find(next.set_of[below], below);
  if (entry && next.shape.write_back)
    entry->dirty = 1;
  else
    write_back_below(level + 1, below);
}

bool Hierarchy::longer_below(std::size_t level) const {
  return levels_[level + 1].shape.line > levels_[level].shape.line;
}

void Hierarchy::flush() {
  for (std::size_t level = 0; level < levels_.size(); ++level)
    for (Sets::Entry& entry : levels_[level].sets.entries())
      if (entry.dirty) {
        entry.dirty = 0;
        ++levels_[level].counts.write_backs;
        write_back_below(level, entry.line);
      }
}

}  // namespace tallcache::cache
