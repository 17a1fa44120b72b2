// Private caches kept coherent by the MSI protocol over one bus. Every transition can be observed, and true
// sharing is distinguished from false sharing.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "common/cache/geometry.hpp"
#include "common/cache/line_numbers.hpp"
#include "common/cache/model.hpp"
#include "common/cache/sets.hpp"

namespace tallcache::cache {

enum class Msi : std::uint8_t { invalid, shared, modified };

/// The action of the transition's cache on the bus.
enum class BusAction : std::uint8_t {
  none,            ///< drops its copy without a message
  read,            ///< asks for the line, to read it
  read_exclusive,  ///< asks for the line, to write it: the other copies are invalidated
  upgrade,         ///< has the line and invalidates the other copies
  flush            ///< puts its modified line on the bus, and memory stores it
};

/// The name of a state, as reports print it.
std::string_view to_string(Msi);
/// The name of what a bus sees, as reports print it.
std::string_view to_string(BusAction);

/// A change of the state of one line in one cache.
struct Transition {
  int processor;
  std::uint64_t address;  ///< of the line's first byte
  Msi from, to;
  BusAction action;
  int requester;  ///< the processor whose access caused it

  friend bool operator==(const Transition&, const Transition&) = default;
};

/// The counts of one processor. misses() = cold + replacement + true_sharing + false_sharing.
struct SharingCounts {
  std::uint64_t loads = 0, stores = 0;
  std::uint64_t cold = 0;          ///< its first access to the line
  std::uint64_t replacement = 0;   ///< its own cache had replaced the line: capacity or conflict
  std::uint64_t true_sharing = 0;  ///< lost to another's write; the accessed words were written since
  std::uint64_t false_sharing =
      0;                       ///< lost to another's write; only other words of the line were written since
  std::uint64_t upgrades = 0;  ///< stores to lines in the shared state: no miss, but bus traffic
  std::uint64_t flushes = 0;   ///< modified lines written back

  std::uint64_t misses() const { return cold + replacement + true_sharing + false_sharing; }
  friend bool operator==(const SharingCounts&, const SharingCounts&) = default;
};

/// Sharing is classified word by word, by the access that misses (the test of Eggers and Katz). Dubois et al.
/// 1993 also look at what is accessed until the line is lost again. Some misses that count as false sharing
/// here are true sharing by their definition.
class MsiCaches {
 public:
  struct Config {
    int processors = 2;
    std::size_t line = 64, word = 8;  ///< bytes; a line has at most 64 words
    std::optional<CacheLevel>
        shape{};  ///< of each private cache, with the same line; none: no line is ever replaced
  };
  /// The observer is called at each change of state, for the other caches before the requester's own.
  using Observer = std::function<void(const Transition&)>;

  /// Throws Error on an invalid line, word or shape, and on fewer than 1 processor.
  explicit MsiCaches(const Config& config, Observer observer = {});

  /// An access of `processor`, 0 .. processors - 1. Accesses are made in the order in which the bus
  /// sees them.
  void load(int processor, std::uint64_t address, std::size_t bytes) {
    access(processor, address, bytes, false);
  }
  void store(int processor, std::uint64_t address, std::size_t bytes) {
    access(processor, address, bytes, true);
  }

  Msi state(int processor, std::uint64_t address);
  const SharingCounts& counts(int processor) const { return counts_[static_cast<std::size_t>(processor)]; }
  SharingCounts total() const;

 private:
  enum class Lost : std::uint8_t { never_held, replaced, invalidated };
  struct Copy {
    Msi state = Msi::invalid;
    Lost lost = Lost::never_held;
    std::uint64_t written = 0;  // the words that others wrote since this copy was lost
  };

  Copy& copy(int processor, Line line);
  void access(int processor, std::uint64_t address, std::size_t bytes, bool store);
  void access_line(int processor, Line line, std::uint64_t words, bool store);
  void classify_miss(int processor, const Copy& copy, std::uint64_t words);
  void snoop(int requester, Line line, bool store);
  void replace(int processor, Line line);
  void change(int processor, Line line, Msi to, BusAction action, int requester);

  Config config_;
  Observer observer_;
  LineNumbers numbers_;
  std::vector<Copy> copies_;  // of each line: one a processor
  std::vector<Sets> caches_;  // empty when nothing is ever replaced
  std::vector<SharingCounts> counts_;
};

/// The recorded accesses of one thread, to be interleaved later. A sink of the traced view.
struct ThreadTrace {
  struct Reference {
    std::uint64_t address;
    std::uint32_t bytes;
    bool store;
  };
  std::vector<Reference> references;

  void load(const void* address, std::size_t bytes) { add(address, bytes, false); }
  void store(const void* address, std::size_t bytes) { add(address, bytes, true); }

 private:
  void add(const void* address, std::size_t bytes, bool store) {
    references.push_back(
        {reinterpret_cast<std::uintptr_t>(address), static_cast<std::uint32_t>(bytes), store});
  }
};

/// Runs thread i on processor i. Each thread in turn makes `quantum` accesses, until all have ended.
void interleave(std::span<const ThreadTrace> threads, std::size_t quantum, MsiCaches& caches);

}  // namespace tallcache::cache
