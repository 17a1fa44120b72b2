#include "common/cache/msi.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "common/error.hpp"

namespace tallcache::cache {

std::string_view to_string(Msi state) {
  return state == Msi::invalid ? "I" : state == Msi::shared ? "S" : "M";
}

std::string_view to_string(BusAction action) {
  constexpr std::string_view names[] = {"none", "read", "read_exclusive", "upgrade", "flush"};
  return names[static_cast<std::size_t>(action)];
}

MsiCaches::MsiCaches(const Config& config, Observer observer)
    : config_(config), observer_(std::move(observer)) {
  validated_line(config.line);
  if (config.processors < 1)
    throw Error("coherence of " + std::to_string(config.processors) +
                " processors: there must be at least 1");
  if (!std::has_single_bit(config.word) || config.word > config.line || config.line / config.word > 64)
    throw Error("words of " + std::to_string(config.word) + " bytes in lines of " +
                std::to_string(config.line) +
                ": a word must be a power of two, and a line must have 1 to 64");
  counts_.resize(static_cast<std::size_t>(config.processors));
  if (const auto& shape = config.shape) {
    validate({&*shape, 1});
    if (shape->line != config.line)
      throw Error("private caches with lines of " + std::to_string(shape->line) +
                  " bytes in a system with lines of " + std::to_string(config.line));
    caches_.assign(counts_.size(), Sets(shape->sets(), shape->ways));
  }
}

MsiCaches::Copy& MsiCaches::copy(int processor, Line line) {
  return copies_[line * counts_.size() + static_cast<std::size_t>(processor)];
}

Msi MsiCaches::state(int processor, std::uint64_t address) {
  const Line line = numbers_(address / config_.line);
  copies_.resize(numbers_.addresses().size() * counts_.size());
  return copy(processor, line).state;
}

SharingCounts MsiCaches::total() const {
  SharingCounts sum;
  for (const SharingCounts& one : counts_) {
    sum.loads += one.loads, sum.stores += one.stores;
    sum.cold += one.cold, sum.replacement += one.replacement;
    sum.true_sharing += one.true_sharing, sum.false_sharing += one.false_sharing;
    sum.upgrades += one.upgrades, sum.flushes += one.flushes;
  }
  return sum;
}

void MsiCaches::access(int processor, std::uint64_t address, std::size_t bytes, bool store) {
  if (processor < 0 || processor >= config_.processors)
    throw Error("an access of processor " + std::to_string(processor) + " of " +
                std::to_string(config_.processors));
  ++(store ? counts_[processor].stores : counts_[processor].loads);
  const std::uint64_t end = address + bytes;
  for (std::uint64_t at = address; at < end;) {
    const std::uint64_t first_byte = at / config_.line * config_.line;
    const std::uint64_t next_line = std::min(end, first_byte + config_.line);
    const std::uint64_t first = (at - first_byte) / config_.word,
                        last = (next_line - 1 - first_byte) / config_.word;
    const Line line = numbers_(at / config_.line);
    copies_.resize(numbers_.addresses().size() * counts_.size());
    access_line(processor, line, ~std::uint64_t{0} >> (63 - (last - first)) << first, store);
    at = next_line;
  }
}

void MsiCaches::access_line(int processor, Line line, std::uint64_t words, bool store) {
  Copy& mine = copy(processor, line);
  if (mine.state == Msi::invalid) {
    classify_miss(processor, mine, words);
    snoop(processor, line, store);
    if (!caches_.empty()) replace(processor, line);
    change(processor, line, store ? Msi::modified : Msi::shared,
           store ? BusAction::read_exclusive : BusAction::read, processor);
    mine.written = 0;
  } else {
    if (!caches_.empty()) {
      Sets& cache = caches_[processor];
      const std::size_t set = numbers_.addresses()[line] % config_.shape->sets();
      cache.touch(set, cache.find(set, line));
    }
    if (store && mine.state == Msi::shared) {
      ++counts_[processor].upgrades;
      snoop(processor, line, true);
      change(processor, line, Msi::modified, BusAction::upgrade, processor);
    }
  }
  if (store)
    for (int other = 0; other < config_.processors; ++other)
      if (other != processor) copy(other, line).written |= words;
}

void MsiCaches::classify_miss(int processor, const Copy& copy, std::uint64_t words) {
  SharingCounts& counts = counts_[processor];
  ++(copy.lost == Lost::never_held ? counts.cold
     : copy.lost == Lost::replaced ? counts.replacement
     : copy.written & words        ? counts.true_sharing
                                   : counts.false_sharing);
}

// The reaction of the other caches to the request.
void MsiCaches::snoop(int requester, Line line, bool store) {
  for (int other = 0; other < config_.processors; ++other) {
    Copy& theirs = copy(other, line);
    if (other == requester || theirs.state == Msi::invalid) continue;
    const bool modified = theirs.state == Msi::modified;
    if (!store && !modified) continue;
    counts_[other].flushes += modified;
    if (store) {
      theirs.lost = Lost::invalidated;
      theirs.written = 0;
      if (!caches_.empty()) {
        const std::size_t set = numbers_.addresses()[line] % config_.shape->sets();
        caches_[other].erase(set, caches_[other].find(set, line));
      }
    }
    change(other, line, store ? Msi::invalid : Msi::shared, modified ? BusAction::flush : BusAction::none,
           requester);
  }
}

// Makes room for `line` in the processor's own cache.
void MsiCaches::replace(int processor, Line line) {
  const std::size_t set = numbers_.addresses()[line] % config_.shape->sets();
  const Sets::Entry victim = caches_[processor].insert(set, line, false);
  if (victim == Sets::empty) return;
  Copy& lost = copy(processor, victim.line);
  const bool modified = lost.state == Msi::modified;
  counts_[processor].flushes += modified;
  lost.lost = Lost::replaced;
  change(processor, victim.line, Msi::invalid, modified ? BusAction::flush : BusAction::none, processor);
}

void MsiCaches::change(int processor, Line line, Msi to, BusAction action, int requester) {
  Copy& at = copy(processor, line);
  const Transition transition{processor, numbers_.addresses()[line] * config_.line, at.state, to, action,
                              requester};
  at.state = to;
  if (observer_) observer_(transition);
}

void interleave(std::span<const ThreadTrace> threads, std::size_t quantum, MsiCaches& caches) {
  if (quantum == 0) throw Error("threads interleaved by 0 accesses at a time: it must be at least 1");
  bool more = true;
  for (std::size_t first = 0; more; first += quantum) {
    more = false;
    for (std::size_t thread = 0; thread < threads.size(); ++thread) {
      const auto& references = threads[thread].references;
      const std::size_t end = std::min(first + quantum, references.size());
      for (std::size_t i = first; i < end; ++i) {
        const auto& [address, bytes, store] = references[i];
        if (store)
          caches.store(static_cast<int>(thread), address, bytes);
        else
          caches.load(static_cast<int>(thread), address, bytes);
      }
      more |= end < references.size();
    }
  }
}

}  // namespace tallcache::cache
