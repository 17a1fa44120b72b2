// How a sort by distribution divides its keys: levels of buckets, the pieces that blocks take, and the tables
// that say where the keys of a bucket lie.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

#include "gpu/sort/shapes.hpp"

namespace tallcache::gpu::sort {

inline constexpr int spread_threads = 512, spread_warps = spread_threads / 32, max_bits = 8;

/// The keys that a thread spreads at a time, at most, and a block: 64 KiB.
template <class T>
inline constexpr int spread_rows = 128 / sizeof(T);
template <class T>
inline constexpr Index max_piece = Index{spread_rows<T>} * spread_threads;

/// Keys that go on together: those of neighbouring buckets of a segment. A large bucket is a segment of the
/// next level and split again; what is small, or of equal keys, waits for the leaves.
struct Part {
  enum Kind : std::uint32_t { split, small, equal };
  std::uint32_t begin, size;  ///< its places in the output
  std::uint32_t segment;      ///< of the level before, whose buckets [first_bucket, end_bucket) it is
  std::uint32_t first_bucket, end_bucket;
  std::uint32_t from;         ///< of a leaf: the keys of those buckets before it
  std::uint32_t first_piece;  ///< of a segment
  Kind kind;
};

/// Part i of an array of words.
template <class Words>
TALLCACHE_DEVICE Part load_part(const Words& words, Index i) {
  struct {
    Vector<std::uint32_t, 4> half[2];
  } both{{vector_at<4>(words[8 * i]), vector_at<4>(words[8 * i + 4])}};
  return std::bit_cast<Part>(both);
}
template <class Words>
TALLCACHE_DEVICE void store_part(const Words& words, Index i, const Part& part) {
  struct Halves {
    Vector<std::uint32_t, 4> half[2];
  };
  const auto both = std::bit_cast<Halves>(part);
  vector_at<4>(words[8 * i]) = both.half[0];
  vector_at<4>(words[8 * i + 4]) = both.half[1];
}

/// Leaves by their sizes, each class a launch with as many threads as these need. One for the leaves of many
/// buckets is an end more, and one for those above a tile, of which there are few, has little to do.
struct LeafClasses {
  static constexpr int most = 4;
  int number = 0;
  std::uint32_t keys[most]{};  ///< of a leaf of each, at most; in ascending order

  void add(Index size) { keys[number++] = static_cast<std::uint32_t>(size); }
  TALLCACHE_DEVICE int of(std::uint32_t size) const {
    int c = 0;  // by indices that are constants: a kernel would copy its argument to index it
#pragma unroll
    for (int k = 0; k + 1 < most; ++k) c += k + 1 < number && size > keys[k];
    return c;
  }
};

/// The levels of a sort of n keys, and the most parts that they can have. Buckets of the last level fill half
/// of a `tile` on the average, which is half of what a block can have, unless that takes another level.
struct DistributionPlan {
  static constexpr int max_levels = 32;
  struct Level {
    int bits;  ///< of the number of a bucket
    Index segments, pieces;
  };

  Index n, tile, piece;
  Index largest;  ///< leaf that a block sorts in shared memory
  Index small;    ///< keys of a small part of a level, at most, but for its last bucket
  int levels = 0;
  Level level[max_levels];
  Index leaves;
  LeafClasses classes;

  /// Throws Error for more keys than 32 bits count.
  DistributionPlan(Index keys, Index tile_keys, Index most_piece, Index wanted_ways)
      : n(keys), tile(tile_keys), largest(tile_keys) {
    if (n > std::numeric_limits<std::uint32_t>::max())
      throw Error("sort: more than 2^32 - 1 keys are not sorted on a GPU");
    constexpr Index min_pieces = 256, unit = spread_threads;
    piece = std::clamp(ceil_div(n, min_pieces * unit) * unit, 4 * unit, most_piece);
    const Index ways = std::clamp<Index>(wanted_ways, 2, 1 << max_bits);
    const int most = log2_up(ways + 1) - 1;
    const auto bits_of = [&](Index keys) {
      return n > keys ? std::max(1, log2_up(ceil_div(n * 7, keys * 4))) : 0;
    };
    if (ceil_div(bits_of(tile / 2), most) == ceil_div(bits_of(tile), most)) tile /= 2;
    const int all = bits_of(tile);
    levels = ceil_div(all, most);
    small = std::max<Index>(n >> all >> 1, 1);
    Index segments = 1;
    for (int i = 0; i < levels; ++i) {
      const int bits = all / levels + (i < all % levels);
      level[i] = {bits, segments, n / piece + segments};
      segments = std::min(segments << bits, parts(small_of(i)) + segments);
    }
    leaves = segments + n / tile;
    if (all >= 12) classes.add(tile / 2), classes.add(tile / 4 * 3);
    classes.add(tile);
    if (tile < largest) classes.add(largest);
  }

  /// Buckets of more keys are large.
  Index most() const { return tile / 2; }
  Index small_of(int at) const { return at + 1 < levels ? most() : small; }
  int row(int at) const { return (1 << level[at].bits) + 1; }

 private:
  /// A bucket begins a part where it is large, behind a large one, or in another stretch of `stretch` keys.
  Index parts(Index stretch) const { return n / stretch + 2 * (n / most()); }
};

/// The tables of a level. Piece p of the level has keys [before[p], before[p] + ...) of each bucket.
template <class Access>
struct LevelTables {
  using Words = VectorView<std::uint32_t, Access>;
  int number = 0, bits = 0;
  std::uint32_t n = 0, piece = 0, most = 0, small = 0, tile = 0;
  bool last = false;
  Words segments;    ///< Part
  Words segment_of;  ///< of each piece
  Words local;       ///< [p * row() + b]: the keys of piece p in buckets before b; they lie in this order
  Words before;      ///< [p * row() + b]: the same of the pieces of its segment before p
  Words begin;       ///< [s * row() + b]: the same of all pieces of segment s
  Words counts;      ///< of segments, of pieces; then of the next level, or of each class of leaves
  Words taken;       ///< leaves of each class that blocks have taken, beside the first of each block
  LeafClasses classes;
  std::uint32_t leaves = 0;  ///< room for those of a class

  TALLCACHE_DEVICE int row() const { return (1 << bits) + 1; }
  TALLCACHE_DEVICE std::uint32_t number_of_segments() const { return number ? counts[0] : 1u; }
  TALLCACHE_DEVICE std::uint32_t number_of_pieces() const {
    return number ? static_cast<std::uint32_t>(counts[1]) : (n - 1) / piece + 1;
  }
  TALLCACHE_DEVICE Part segment(Index s) const {
    return number ? load_part(segments, s) : Part{0, n, 0, 0, 0, 0, 0, Part::split};
  }
  TALLCACHE_DEVICE std::uint32_t segment_of_piece(Index p) const { return number ? segment_of[p] : 0u; }
};

/// The working memory of a sort, beside an array of keys.
template <class T, class Access>
struct Tables {
  LevelTables<Access> level[DistributionPlan::max_levels];
  VectorView<T, Access> splitter[DistributionPlan::max_levels];
  VectorView<std::uint32_t, Access> zeroed, leaves;

  static Index zeroed_words(const DistributionPlan& plan) {
    Index words = 2 * plan.levels + 2 * LeafClasses::most;
    for (int i = 0; i < plan.levels; ++i) words += plan.level[i].segments * plan.row(i);
    return words;
  }
  static std::size_t bytes(const DistributionPlan& plan) {
    const auto words = [](Index number) { return scratch_bytes({static_cast<std::size_t>(number) * 4}); };
    std::size_t sum = words(zeroed_words(plan)) + words(8 * plan.leaves * plan.classes.number);
    for (int i = 0; i < plan.levels; ++i) {
      const auto& of = plan.level[i];
      sum += words(8 * of.segments) + words(of.pieces) + 2 * words(of.pieces * plan.row(i)) +
             scratch_bytes({static_cast<std::size_t>(of.segments << of.bits) * sizeof(T)});
    }
    return sum;
  }
  Tables(Scratch<Access>& scratch, const DistributionPlan& plan)
      : zeroed(scratch.template vector<std::uint32_t>(zeroed_words(plan))),
        leaves(scratch.template vector<std::uint32_t>(8 * plan.leaves * plan.classes.number)) {
    const auto words = [&](Index number) { return scratch.template vector<std::uint32_t>(number); };
    Index at = 2 * plan.levels + 2 * LeafClasses::most;
    for (int i = 0; i < plan.levels; ++i) {
      const auto& of = plan.level[i];
      const Index begins = of.segments * plan.row(i);
      const auto narrow = [](Index number) { return static_cast<std::uint32_t>(number); };
      level[i] = {i,
                  of.bits,
                  narrow(plan.n),
                  narrow(plan.piece),
                  narrow(plan.most()),
                  narrow(plan.small_of(i)),
                  narrow(plan.tile),
                  i + 1 == plan.levels,
                  words(8 * of.segments),
                  words(of.pieces),
                  words(of.pieces * plan.row(i)),
                  words(of.pieces * plan.row(i)),
                  zeroed.block(at, begins),
                  zeroed.block(2 * i, 2 + LeafClasses::most),
                  zeroed.block(2 * plan.levels + LeafClasses::most, LeafClasses::most),
                  plan.classes,
                  narrow(plan.leaves)};
      splitter[i] = scratch.template vector<T>(of.segments << of.bits);
      at += begins;
    }
  }
};

/// Where the keys of `part` lie in the array that the level before, `from`, has written: a run in each piece
/// of the segment that they were of.
template <class Access>
struct PlacesOf {
  const LevelTables<Access>& from;
  const Part& part;
  Part segment;
  std::uint32_t pieces;

  TALLCACHE_DEVICE PlacesOf(const LevelTables<Access>& tables, const Part& of)
      : from(tables),
        part(of),
        segment(from.segment(of.segment)),
        pieces((segment.size - 1) / from.piece + 1) {}

  TALLCACHE_DEVICE Index row(std::uint32_t p) const { return (Index{segment.first_piece} + p) * from.row(); }
  /// Its keys in the pieces before p.
  TALLCACHE_DEVICE std::uint32_t before(std::uint32_t p) const {
    return from.before[row(p) + part.end_bucket] - from.before[row(p) + part.first_bucket];
  }
  /// The place of the first of them in piece p.
  TALLCACHE_DEVICE Index begin(std::uint32_t p) const {
    return Index{segment.begin} + Index{p} * from.piece + from.local[row(p) + part.first_bucket];
  }
  /// The place of key i, of pieces [first, first + number).
  TALLCACHE_DEVICE Index at(std::uint32_t i, std::uint32_t first, std::uint32_t number) const {
    const std::uint32_t p =
        first + last_at_most(number, i, [&](std::uint32_t k) { return before(first + k); });
    return begin(p) + (i - before(p));
  }
  TALLCACHE_DEVICE Index operator[](Index i) const { return at(static_cast<std::uint32_t>(i), 0, pieces); }

  /// visit(i, at) for the keys first + i, i < size, which lie at `at`. All lanes of a warp.
  template <class Thread, class Visit>
  TALLCACHE_DEVICE void for_each(const Thread& t, std::uint32_t first, std::uint32_t size,
                                 Visit visit) const {
    const std::uint32_t lane = t.thread().x % 32, beyond = first + size;
    // The last piece before which there are no more than `first` of the keys.
    std::uint32_t low = 0, width = pieces;
    while (width > 1) {
      const std::uint32_t step = (width - 1) / 32 + 1, p = low + lane * step;
      const bool is_before = lane * step < width && before(p) <= first;
      const std::uint32_t next = static_cast<std::uint32_t>(t.popcount(t.ballot(is_before)) - 1) * step;
      low += next, width = smaller(step, width - next);
    }
    for (std::uint32_t done = first; done < beyond && low < pieces; low += 32) {
      std::uint32_t start = beyond, length = 0, at = 0;
      if (const std::uint32_t p = low + lane; p < pieces) {
        at = static_cast<std::uint32_t>(begin(p));
        length = from.local[row(p) + part.end_bucket] - from.local[row(p) + part.first_bucket];
        start = before(p);
      }
      for (int k = 0; k < 32 && done < beyond; ++k) {
        const std::uint32_t start_k = t.shuffle(start, k), at_k = t.shuffle(at, k);
        const std::uint32_t end = smaller(start_k + t.shuffle(length, k), beyond);
        for (std::uint32_t i = done + lane; i < end; i += 32) visit(i - first, Index{at_k} + (i - start_k));
        done = larger(done, end);
      }
    }
  }
};

}  // namespace tallcache::gpu::sort
