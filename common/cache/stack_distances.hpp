// LRU at all cache sizes at once: the stack distance of every access (Mattson et al. 1970) in one pass.
#pragma once

#include <cstdint>
#include <vector>

#include "common/cache/model.hpp"

namespace tallcache::cache {

/// Olken's algorithm (1981) with a bitmap in place of a tree. Accesses are numbered. The number of a line's
/// latest access is marked in a bitmap, so the stack distance of an access is the count of marks behind its
/// line's own. A Fenwick tree over blocks of 512 numbers counts the marks before a block, popcnt those within
/// it. When the numbers run out, the marks are compacted.
class StackDistances : public Model {
 public:
  StackDistances();

  void consume(const Block& block) override;

  std::uint64_t accesses() const { return accesses_; }
  /// Distinct lines, which is also the number of cold misses.
  std::uint64_t distinct_lines() const { return distinct_; }
  /// [d]: the number of accesses with d other lines between them and the previous access to the same line.
  /// First accesses are in none.
  const std::vector<std::uint64_t>& histogram() const { return histogram_; }
  /// Q(Z): the misses of an LRU cache of `lines` lines. Every call sums the histogram. Use curve() for
  /// many sizes.
  std::uint64_t misses(std::size_t lines) const;
  /// [Z]: the misses with Z lines, for Z = 0 .. distinct_lines(). Larger caches miss as often as the last
  /// one.
  std::vector<std::uint64_t> curve() const;

 private:
  static constexpr std::uint32_t never = ~std::uint32_t{0};
  void advance(const Block& block);
  void grow(std::size_t places);
  void add(std::size_t index, std::int32_t marks);
  std::int32_t marks_before(std::size_t index) const;
  void compact(std::size_t room);

  std::uint64_t accesses_ = 0, distinct_ = 0;
  std::vector<std::uint64_t> histogram_;
  std::vector<std::uint32_t> latest_;  // of each line: the number of its latest access, or never
  std::vector<Line> line_at_;          // of each number: the line that was accessed
  std::size_t now_ = 0;                // the next number
  std::vector<std::uint64_t> marks_;
  std::vector<std::int32_t> tree_;  // Fenwick's, over the marks of every full block of numbers
};

}  // namespace tallcache::cache
