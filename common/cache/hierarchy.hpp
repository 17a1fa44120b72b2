// One to three levels of set-associative caches with write policies. Every miss is classified.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/cache/geometry.hpp"
#include "common/cache/line_numbers.hpp"
#include "common/cache/lru.hpp"
#include "common/cache/model.hpp"
#include "common/cache/sets.hpp"

namespace tallcache::cache {

/// What reached one level. misses() = cold + capacity + conflict.
struct LevelCounts {
  std::uint64_t loads = 0, stores = 0;  ///< the program's loads and stores that came this far
  std::uint64_t load_misses = 0, store_misses = 0;
  std::uint64_t cold = 0;         ///< the first time that this level is asked for the line
  std::uint64_t capacity = 0;     ///< a fully associative LRU cache of the same size and policy misses it too
  std::uint64_t conflict = 0;     ///< all other misses: the sets cause them
  std::uint64_t write_backs = 0;  ///< modified lines sent down

  std::uint64_t accesses() const { return loads + stores; }
  std::uint64_t misses() const { return load_misses + store_misses; }
  friend bool operator==(const LevelCounts&, const LevelCounts&) = default;
};

/// The levels are neither inclusive nor exclusive: a miss asks the next level and fills this one, and nothing
/// else moves lines. A store that misses and allocates fetches its line first. A write-back marks the line as
/// modified in the next level that holds it, or goes on to memory. It does not count as an access and does
/// not change the order of replacement, so misses compare with cachegrind's, which models no write-backs.
class Hierarchy : public Model {
 public:
  /// Throws Error as validate(levels) does.
  explicit Hierarchy(std::span<const CacheLevel> levels);

  /// Throws Error when the trace's line is not the first level's.
  void consume(const Block& block) override;

  /// Writes back every modified line, as at the end of a program.
  void flush();

  std::size_t levels() const { return levels_.size(); }
  const CacheLevel& level(std::size_t i) const { return levels_[i].shape; }
  const LevelCounts& counts(std::size_t i) const { return levels_[i].counts; }
  /// Lines read from memory.
  std::uint64_t memory_reads() const { return memory_reads_; }
  /// Writes to memory: modified lines, and single stores under write-through.
  std::uint64_t memory_writes() const { return memory_writes_; }

 private:
  struct Level {
    explicit Level(const CacheLevel& shape)
        : shape(shape), sets(shape.sets(), shape.ways), ideal(shape.lines()) {}
    CacheLevel shape;
    Sets sets;
    LruCache ideal;
    LevelCounts counts;
    std::vector<std::uint32_t> set_of;  // of each line: its set, or unseen
    LineNumbers numbers;                // of this level's lines, when they are longer than those above
    std::vector<Line> below;            // of each line: the next level's line with it, when that is longer
  };
  /// One request to a level: the program's load or store that caused it, what the level must deliver, and
  /// whether the request carries data.
  struct Request {
    bool store, fetch, write;
  };
  static constexpr std::uint32_t unseen = ~std::uint32_t{0};

  // At each level a line has a number, and an address divided by the line size.
  void request(std::size_t level, Line line, std::uint64_t address, Request what);
  void request_below(std::size_t level, Line line, std::uint64_t address, Request what);
  void repeat(const LineAccess& access, std::uint64_t address);
  void write_back_below(std::size_t level, Line line);
  bool longer_below(std::size_t level) const;

  std::vector<Level> levels_;
  std::uint64_t memory_reads_ = 0, memory_writes_ = 0;
};

}  // namespace tallcache::cache
