// The schedules of a stencil, as texts over the number of dimensions and the fork policy.
#pragma once

#include "common/fork/fork.hpp"
#include "cpu/stencil/grid.hpp"

namespace tallcache::cpu::stencil {

/// One dimension of a zoid in parts. A black part needs nothing of the others, a grey one needs its black
/// neighbours, or they need it: `level` 0 comes before 1.
struct Segment {
  Index lo, hi, dlo, dhi;
  int level;
};

/// The whole grid from time `begin` to `end`.
template <class S>
Zoid<S::dimensions> whole_grid(const S& stencil, Index begin, Index end) {
  Zoid<S::dimensions> zoid{.begin = begin, .end = end, .lo = {}, .hi = stencil.sizes()};
  return zoid;
}

/// Runs body(part) for every product of the segments, count[i] of them in dimension i: the parts of one
/// level, the sum of those of its segments, are independent; the levels run in order (Tang et al. 2011).
template <class Fork, class Z, class SegmentOf, class Body>
void for_each_part(Fork& fork, const Z& zoid, const typename Z::Point& count, int levels,
                   const SegmentOf& segment_of, const Body& body) {
  constexpr int d = Z::dimensions;
  Index parts = 1;
  for (int i = 0; i < d; ++i) parts *= count[i];
  for (int level = 0; level < levels; ++level)
    fork.loop(0, parts, 1, [&, level](Index number) {
      Z part = zoid;
      int sum = 0;
      for (int i = d; i-- > 0; number /= count[i]) {
        const Segment s = segment_of(i, number % count[i]);
        part.lo[i] = s.lo, part.hi[i] = s.hi, part.dlo[i] = s.dlo, part.dhi[i] = s.dhi;
        sum += s.level;
        if (s.hi <= s.lo && s.hi + (s.dhi - s.dlo) * (zoid.height() - 1) <= s.lo) return;
      }
      if (sum == level) body(part);
    });
}

/// Where a recursion over trapezoids ends: at `height` steps of zoids whose longer base is at most `width` in
/// each dimension.
template <int d>
struct Leaf {
  Index height;
  std::array<Index, d> width;
};

/// The sizes of leaves by default: the recursion costs little, and a leaf stays in a second-level cache.
inline constexpr Index leaf_height = 8, leaf_row_bytes = 8192, leaf_rows = 32, leaf_planes = 32;

/// {cols}, {rows, cols} or {planes, rows, cols}. One dimension has as many points as two.
template <int d>
constexpr std::array<Index, d> widths(Index cols, Index rows, Index planes) {
  constexpr Index most = Index{1} << 30;
  if constexpr (d == 1) return {std::min(cols, most) * std::min(rows, most)};
  if constexpr (d == 2) return {rows, cols};
  if constexpr (d == 3) return {planes, rows, cols};
}

/// The leaf of the public face, for elements of type T.
template <class T, int d>
constexpr Leaf<d> default_leaf() {
  return {leaf_height, widths<d>(leaf_row_bytes / sizeof(T), leaf_rows, leaf_planes)};
}

/// The recursion of Frigo and Strumpen 2005, which cuts all dimensions that are wide enough at once (Tang et
/// al. 2011), and else time.
template <class Fork, class S>
class Trapezoids {
  static constexpr int d = S::dimensions;

 public:
  Trapezoids(Fork& fork, const S& stencil, const Leaf<d>& leaf)
      : fork_(fork), stencil_(stencil), leaf_(leaf) {}

  void operator()(const Zoid<d>& zoid) const {
    std::array<Index, d> count;
    int levels = 1;
    for (int i = 0; i < d; ++i) {
      const bool cuts = is_wide(zoid, i);
      count[i] = cuts ? 3 : 1;
      levels += cuts;
    }
    if (levels > 1)
      return for_each_part(
          fork_, zoid, count, levels,
          [&](int i, Index part) { return count[i] == 3 ? third(zoid, i, part) : uncut(zoid, i); },
          [this](const Zoid<d>& part) { (*this)(part); });
    if (zoid.height() <= leaf_.height) return stencil_(zoid);
    Zoid<d> early = zoid, late = zoid;
    early.end = late.begin = zoid.begin + zoid.height() / 2;
    for (int i = 0; i < d; ++i) {
      late.lo[i] += zoid.dlo[i] * early.height();
      late.hi[i] += zoid.dhi[i] * early.height();
    }
    (*this)(early);
    (*this)(late);
  }

 private:
  bool is_wide(const Zoid<d>& zoid, int i) const {
    const Index bottom = zoid.bottom(i), top = zoid.top(i);
    return std::min(bottom, top) >= 2 * S::slope * zoid.height() && std::max(bottom, top) > leaf_.width[i];
  }

  static Segment uncut(const Zoid<d>& zoid, int i) {
    return {zoid.lo[i], zoid.hi[i], zoid.dlo[i], zoid.dhi[i], 0};
  }

  /// Left, middle and right. Where the bottom is the longer base, the middle is inverted and comes last;
  /// otherwise it is upright and comes first.
  static Segment third(const Zoid<d>& zoid, int i, Index part) {
    constexpr Index slope = S::slope;
    const Index lo = zoid.lo[i], hi = zoid.hi[i], dlo = zoid.dlo[i], dhi = zoid.dhi[i];
    const Index rise = slope * zoid.height();
    if (zoid.bottom(i) >= zoid.top(i)) {
      const Index middle = (lo + dlo * zoid.height() + hi + dhi * zoid.height()) / 2;
      if (part == 1) return {middle, middle, -slope, slope, 1};
      return part == 0 ? Segment{lo, middle, dlo, -slope, 0} : Segment{middle, hi, slope, dhi, 0};
    }
    const Index middle = (lo + hi) / 2;
    if (part == 1) return {middle - rise, middle + rise, slope, -slope, 0};
    return part == 0 ? Segment{lo, middle - rise, dlo, slope, 1} : Segment{middle + rise, hi, -slope, dhi, 1};
  }

  Fork& fork_;
  const S& stencil_;
  Leaf<d> leaf_;
};

/// The highest zoids that a periodic grid can be cut into, and `steps` at most.
template <class S>
Index greatest_height(const S& stencil, Index steps) {
  if (!stencil.periodic()) return std::max<Index>(steps, 1);
  for (const Index size : stencil.sizes()) steps = std::min(steps, size / (2 * S::slope));
  return std::max<Index>(steps, 1);
}

/// A periodic dimension is cut at 0: the rest is upright, and the gap between its end and its beginning,
/// which is filled afterwards, is inverted.
template <class Fork, class S, class Body>
void cut_open(Fork& fork, const S& stencil, const Zoid<S::dimensions>& zoid, const Body& body) {
  constexpr int d = S::dimensions;
  constexpr Index slope = S::slope;
  if (!stencil.periodic() || zoid.height() == 1) return body(zoid);
  std::array<Index, d> count;
  count.fill(2);
  for_each_part(
      fork, zoid, count, d + 1,
      [&](int i, Index part) {
        const Index size = zoid.hi[i];
        return part == 0 ? Segment{0, size, slope, -slope, 0} : Segment{size, size, -slope, slope, 1};
      },
      body);
}

/// `steps` steps by trapezoids.
template <class Fork, class S>
void run_trapezoids(Fork& fork, const S& stencil, Index steps, const Leaf<S::dimensions>& leaf) {
  const Trapezoids<Fork, S> trapezoids(fork, stencil, leaf);
  const Index height = greatest_height(stencil, steps);
  for (Index t = 0; t < steps; t += height)
    cut_open(fork, stencil, whole_grid(stencil, t, std::min(t + height, steps)), trapezoids);
}

/// `steps` steps over the whole grid, one after the other. A strand has a block of rows of the first
/// dimension, or of points where there is one.
template <class Fork, class S>
void run_loops(Fork& fork, const S& stencil, Index steps) {
  constexpr int d = S::dimensions;
  const auto& sizes = stencil.sizes();
  Index slice = 1;
  for (int i = 1; i < d; ++i) slice *= sizes[i];
  constexpr Index strand_points = 1 << 14;
  const Index block = std::max<Index>(1, strand_points / std::max<Index>(slice, 1));
  for (Index t = 0; t < steps; ++t)
    loop_blocks(fork, sizes[0], block, [&stencil, &sizes, t](Index begin, Index end) {
      typename Zoid<d>::Point lo{}, hi = sizes;
      lo[0] = begin, hi[0] = end;
      stencil.step(t, lo, hi);
    });
}

/// `steps` steps by tiles of space and time: upright trapezoids of `tile` points, `height` steps high, and
/// then the inverted ones between them (Grosser et al. 2013, in all dimensions).
template <class Fork, class S>
void run_tiles(Fork& fork, const S& stencil, Index steps, Index height,
               const std::array<Index, S::dimensions>& tile) {
  constexpr int d = S::dimensions;
  constexpr Index slope = S::slope;
  const bool periodic = stencil.periodic();
  const auto& sizes = stencil.sizes();
  height = std::min(height, greatest_height(stencil, steps));
  std::array<Index, d> tiles, count;
  for (int i = 0; i < d; ++i) {
    tiles[i] = std::max<Index>(1, sizes[i] / std::max(tile[i], 2 * slope * height));
    count[i] = periodic && height > 1 ? 2 * tiles[i] : 2 * tiles[i] - 1;
  }
  for (Index t = 0; t < steps; t += height) {
    const auto zoid = whole_grid(stencil, t, std::min(t + height, steps));
    for_each_part(
        fork, zoid, count, d + 1,
        [&](int i, Index part) {
          const Index k = part / 2, end = block_begin(sizes[i], tiles[i], k + 1);
          if (part % 2) return Segment{end, end, -slope, slope, 1};
          const bool cut_below = k > 0 || count[i] % 2 == 0, cut_above = part + 1 < count[i];
          return Segment{block_begin(sizes[i], tiles[i], k), end, cut_below ? slope : 0,
                         cut_above ? -slope : 0, 0};
        },
        stencil);
  }
}

}  // namespace tallcache::cpu::stencil
