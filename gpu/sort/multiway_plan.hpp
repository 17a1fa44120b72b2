// The steps of a multiway merge sort: which sequences a level merges, and the samples that divide its work.
#pragma once

#include <algorithm>

#include "gpu/sort/shapes.hpp"

namespace tallcache::gpu::sort {

/// n keys in sorted sequences of `length` keys, but for the last one, of which groups of `ways` neighbours are
/// merged.
struct Sequences {
  Index n, length;
  int ways;

  constexpr Index groups() const { return ceil_div(n, length * ways); }
  constexpr Index begin_of(Index group) const { return group * ways * length; }
  /// The keys of a group.
  constexpr Index size_of(Index group) const {
    const Index left = n - begin_of(group), full = ways * length;
    return left < full ? left : full;
  }
  /// Every stride-th key of every sequence of a group is a sample: their number.
  constexpr Index samples_of(Index group, Index stride) const {
    const Index size = size_of(group);
    return size / length * (length / stride) + size % length / stride;
  }
};

/// Samples divide a group into buckets: of the samples merged, every spacing-th is the last key of a bucket.
/// `stride` 0: one bucket.
struct Buckets {
  Index stride, spacing, number;

  /// Whether `bucket` exists in a group that has `samples` samples.
  constexpr bool has(Index bucket, Index samples) const { return bucket * spacing <= samples; }
};

/// How a level divides its work. Buckets of keys are divided by samples, every ratio-th key of a sequence;
/// those, where they are too many for a block, are merged in buckets that their own samples divide, and so on.
///
/// A bucket that ends at every spacing-th sample has at most spacing * ratio keys between samples, and
/// ratio - 1 beyond them in each sequence, whatever the keys (Shi and Schaeffer 1992).
template <class Shape>
struct LevelPlan {
  /// The most sequences of a merge: each may leave slots of a thread empty.
  static constexpr int max_ways = Shape::threads / 3;

  Sequences sequences;
  int depth = 0;    ///< how often samples are taken of samples
  Index ratio = 1;  ///< keys to a sample

  LevelPlan(Index n, Index length, int ways) : sequences{n, length, ways} {
    const Index most = std::max<Index>(2, Shape::tile / (3 * ways));
    while (!fits_a_block(stride_of(depth))) {
      ++depth;
      for (ratio = std::max<Index>(2, Shape::tile / (6 * ways));
           ratio < most && !fits_a_block(stride_of(depth));)
        ++ratio;
    }
  }

  Index stride_of(int at_depth) const {
    Index stride = 1;
    for (int i = 0; i < at_depth; ++i) stride *= ratio;
    return stride;
  }
  /// The buckets of the samples at a depth; of the keys at depth 0.
  Buckets buckets_of(int at_depth) const {
    if (at_depth == depth) return {0, 1, 1};
    const Index ways = sequences.ways;
    const Index spacing = (Shape::tile - ways * (ratio - 1) - ways * (Shape::keys - 1)) / ratio;
    const Index stride = stride_of(at_depth + 1);
    return {stride, spacing, ways * (sequences.length / stride) / spacing + 1};
  }
  /// The ends of buckets within groups, at most.
  Index splitters() const {
    Index most = 0;
    for (int i = 0; i < depth; ++i) most = std::max(most, sequences.groups() * (buckets_of(i).number - 1));
    return most;
  }

 private:
  bool fits_a_block(Index stride) const {
    return sequences.ways * ceil_div(sequences.length / stride, Shape::keys) <= Shape::threads;
  }
};

/// Sequences that each level merges: as few levels as max_ways allow, of as few ways as these levels need.
template <class Shape>
int ways_of(Index n, Index wanted) {
  constexpr Index most = LevelPlan<Shape>::max_ways;
  const Index tiles = ceil_div(n, Shape::tile);
  if (wanted) return static_cast<int>(std::clamp<Index>(wanted, 2, most));
  const auto power = [](Index base, int exponent) {
    Index result = 1;
    for (int i = 0; i < exponent; ++i) result *= base;
    return result;
  };
  int levels = 1;
  while (power(most, levels) < tiles) ++levels;
  Index ways = 2;
  while (power(ways, levels) < tiles) ++ways;
  return static_cast<int>(ways);
}

/// visit(LevelPlan) for every level, the first one first.
template <class Shape, class Visit>
void for_each_level(Index n, Index wanted_ways, const Visit& visit) {
  const int ways = ways_of<Shape>(n, wanted_ways);
  for (Index length = Shape::tile; length < n; length *= ways) visit(LevelPlan<Shape>(n, length, ways));
}

}  // namespace tallcache::gpu::sort
