// The steps of a multiway merge sort: which sequences a level merges, and the samples that divide its work.
#pragma once

#include <algorithm>

#include "gpu/sort/shapes.hpp"

namespace tallcache::gpu::sort {

/// n keys in sorted sequences of `length` keys, but for the last one, of which groups of `ways` neighbours
/// are merged.
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
/// those, where they are too many for a block, are merged in buckets that their own samples divide, and so
/// on.
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

  LevelPlan(Index n, Index length, int most_ways)
      : sequences{n, length, static_cast<int>(std::min<Index>(most_ways, ceil_div(n, length)))} {
    const Index ways = sequences.ways, most = std::max<Index>(2, Shape::tile / (3 * ways));
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

/// The levels of a merge of n keys in sorted tiles, as powers of two: 2^bits[i] sequences are merged at a
/// time. As few levels as `most_ways` at a time allow, all of about as many ways.
struct Levels {
  int number = 0, bits[64] = {};

  Levels(Index n, Index tile, Index most_ways) {
    const int all = log2_up(ceil_div(std::max<Index>(n, 1), tile));
    int most = 1;
    while (Index{2} << most <= most_ways) ++most;
    number = ceil_div(all, most);
    for (int i = 0; i < number; ++i) bits[i] = all / number + (i < all % number);
  }
};

/// visit(LevelPlan) for every level, the first one first.
template <class Shape, class Visit>
void for_each_level(Index n, Index wanted_ways, const Visit& visit) {
  const Index ways = std::clamp<Index>(wanted_ways, 2, LevelPlan<Shape>::max_ways);
  const Levels levels(n, Shape::tile, ways);
  Index length = Shape::tile;
  for (int i = 0; i < levels.number; ++i) {
    visit(LevelPlan<Shape>(n, length, 1 << levels.bits[i]));
    length <<= levels.bits[i];
  }
}

}  // namespace tallcache::gpu::sort
