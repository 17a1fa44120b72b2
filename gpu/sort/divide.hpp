// What follows from the counts of a level's pieces: where the keys of each bucket lie, and what becomes of
// them.
#pragma once

#include "gpu/sort/spread.hpp"

namespace tallcache::gpu::sort {

/// Adds up the counts of the pieces before each piece of a segment, and divides its keys into parts: segments
/// of the next level, or leaves. A block takes some columns of a segment's table: few of the first level's
/// one segment, all of others. The first one of them divides.
template <class T, class Less>
struct DivideSegments {
  static constexpr int max_threads = spread_threads, min_blocks = 1;
  static constexpr int most = 1 << max_bits;

  template <class Thread, class Tables, class Splitter, class Words>
  TALLCACHE_DEVICE void operator()(const Thread& t, Tables own, Splitter splitter, Words parts,
                                   Words segment_of, Less less) const {
    wait_for_last_kernel(t);
    const int columns = own.number ? spread_threads : 8;
    const Index groups = (own.row() - 1) / columns + 1, units = own.number_of_segments() * groups;
    for (Index u = t.block().x; u < units; u += t.grid_dim().x) {
      const Index s = u / groups, group = u % groups;
      const Part part = own.segment(s);
      add_up(t, own, part, static_cast<int>(group) * columns, columns);
      if (group == 0) divide(t, own, part, s, splitter, parts, segment_of, less);
      t.sync();
    }
  }

 private:
  template <class Thread, class Tables>
  TALLCACHE_DEVICE static void add_up(const Thread& t, const Tables& own, const Part& part, int first,
                                      int columns) {
    auto&& sums = shared<0, std::uint32_t[spread_threads]>(t);
    const std::uint32_t id = t.thread().x, width = static_cast<std::uint32_t>(columns);
    const std::uint32_t stretches = spread_threads / width, stretch = id / width;
    const int column = first + static_cast<int>(id % width);
    const std::uint32_t pieces = (part.size - 1) / own.piece + 1, each = (pieces - 1) / stretches + 1;
    const std::uint32_t begin = smaller(stretch * each, pieces), end = smaller(begin + each, pieces);
    const auto at = [&](std::uint32_t p) { return (Index{part.first_piece} + p) * own.row() + column; };
    std::uint32_t sum = 0;
    if (column < own.row())
#pragma unroll 8
      for (std::uint32_t p = begin; p < end; ++p) sum += own.local[at(p)];
    sums[id] = sum;
    t.sync();
    std::uint32_t before = 0;
    for (std::uint32_t other = id % width; other < id; other += width) before += sums[other];
    if (column < own.row())
#pragma unroll 8
      for (std::uint32_t p = begin; p < end; ++p) {
        const std::uint32_t count = own.local[at(p)];
        own.before[at(p)] = before;
        before += count;
      }
  }

  /// A thread a bucket.
  template <class Thread, class Tables, class Splitter, class Words>
  TALLCACHE_DEVICE static void divide(const Thread& t, const Tables& own, const Part& part, Index s,
                                      const Splitter& splitter, const Words& parts, const Words& segment_of,
                                      Less less) {
    auto&& begins = shared<1, std::uint32_t[most + 1]>(t);
    auto&& is_alone = shared<2, std::uint8_t[most]>(t);
    auto&& starts = shared<3, std::uint8_t[most]>(t);
    const int b = static_cast<int>(t.thread().x), ways = 1 << own.bits;
    if (b <= ways) begins[b] = static_cast<std::uint32_t>(own.begin[s * own.row() + b]);
    t.sync();
    Part::Kind kind = part.kind;
    if (b < ways) {
      const std::uint32_t size = begins[b + 1] - begins[b];
      const bool is_large = size > own.most;
      if (part.kind == Part::split) {
        const auto order = [&](int i) { return load_key<T>(splitter[(s << own.bits) + i]); };
        const bool is_equal = b > 0 && b + 1 < ways && !less(order(b - 1), order(b));
        kind = !is_large ? Part::small : is_equal ? Part::equal : own.last ? Part::small : Part::split;
      }
      is_alone[b] = static_cast<std::uint8_t>(is_large);
    }
    t.sync();
    if (b < ways)
      starts[b] = static_cast<std::uint8_t>(b == 0 || is_alone[b] || is_alone[b - 1] ||
                                            begins[b] / own.small != begins[b - 1] / own.small);
    t.sync();
    Part own_part{};
    std::uint32_t number = 0;
    if (b < ways && starts[b]) {
      int end = b + 1;
      while (end < ways && !starts[end]) ++end;
      const std::uint32_t size = begins[end] - begins[b];
      own_part = {part.begin + begins[b],
                  size,
                  static_cast<std::uint32_t>(s),
                  static_cast<std::uint32_t>(b),
                  static_cast<std::uint32_t>(end),
                  0,
                  0,
                  kind};
      const std::uint32_t unit = !own.last ? own.piece : kind == Part::equal ? own.tile : size;
      number = size ? (size - 1) / unit + 1 : 0;
    }
    append(t, own, own_part, number, parts, segment_of);
  }

  /// Appends a thread's part to the next level's segments, with its `number` pieces, or its leaves to those
  /// of their class; none where the number is 0.
  template <class Thread, class Tables, class Words>
  TALLCACHE_DEVICE static void append(const Thread& t, const Tables& own, Part own_part, std::uint32_t number,
                                      const Words& parts, const Words& segment_of) {
    auto&& segment = shared<4, std::uint32_t[most]>(t);  // that begins at a bucket, and its pieces
    auto&& first = shared<5, std::uint32_t[most]>(t);
    auto&& numbers = shared<6, std::uint32_t[most]>(t);
    auto&& base = shared<7, std::uint32_t[LeafClasses::most + 1]>(t);
    auto&& sums = shared<8, std::uint32_t[LeafClasses::most + 1]>(t);
    const int b = static_cast<int>(t.thread().x), ways = 1 << own.bits;
    if (b <= LeafClasses::most) sums[b] = base[b] = 0u;
    t.sync();
    const int kinds = own.last ? own.classes.number : 1;
    const std::uint32_t of_leaf =
        own_part.kind == Part::equal ? smaller(own_part.size, own.tile) : own_part.size;
    const int own_class = own.last ? own.classes.of(of_leaf) : 0;
    std::uint32_t own_number = 0;
    if (number) {
      own_part.first_piece = t.atomic_add(sums[own_class], number);
      if (!own.last) own_number = t.atomic_add(sums[LeafClasses::most], 1u);
    }
    t.sync();
    if (b < kinds) base[b] = t.atomic_add(own.counts[own.last ? 2 + b : 3], sums[b]);
    if (b == 0 && !own.last) base[LeafClasses::most] = t.atomic_add(own.counts[2], sums[LeafClasses::most]);
    t.sync();
    own_part.first_piece += base[own_class];
    own_number += base[LeafClasses::most];
    if (number && !own.last) store_part(parts, own_number, own_part);
    if (own.last)
      for (std::uint32_t k = 0; k < number; ++k) {
        Part leaf = own_part;
        if (number > 1) leaf.from = k * own.tile, leaf.size = smaller(own.tile, own_part.size - leaf.from);
        leaf.begin += leaf.from;
        store_part(parts, Index{own.leaves} * own_class + own_part.first_piece + k, leaf);
      }
    if (own.last) return;
    if (b < ways) segment[b] = own_number, first[b] = own_part.first_piece, numbers[b] = number;
    t.sync();
    for (int other = b / 32; other < ways; other += spread_warps)
      for (std::uint32_t k = b % 32; k < numbers[other]; k += 32)
        segment_of[first[other] + k] = static_cast<std::uint32_t>(segment[other]);
  }
};

}  // namespace tallcache::gpu::sort
