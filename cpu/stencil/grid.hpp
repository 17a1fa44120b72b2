// A stencil on a grid: the states of two successive times, which take turns, and the update of the points of
// boxes and of trapezoids in space and time.
#pragma once

#include "cpu/stencil/points.hpp"

namespace tallcache::cpu::stencil {

/// Two states of a grid of d dimensions, row-major: state[t mod 2] is that of time t. The last dimension is
/// contiguous, row i of the others begins at i * ld.
template <class T, int d, class Access>
struct Grids {
  std::array<T*, 2> state;
  std::array<Index, d> sizes;
  Index ld;
  Border border;
  T outside;  ///< the value beyond a constant border
  [[no_unique_address]] Access access{};
};

/// A trapezoid in space and time: at time t its points are lo + dlo (t - begin) <= x < hi + dhi (t - begin)
/// in each dimension, for begin <= t < end. Of a periodic dimension, point x is point x mod size.
template <int d>
struct Zoid {
  static constexpr int dimensions = d;
  using Point = std::array<Index, d>;

  Index begin, end;
  Point lo, hi, dlo{}, dhi{};

  Index height() const { return end - begin; }
  Index bottom(int i) const { return hi[i] - lo[i]; }
  Index top(int i) const { return bottom(i) + (dhi[i] - dlo[i]) * height(); }
};

/// An update of the points of two grids, of which no neighbour is further than `reach` away in a dimension.
/// `Rows` is how a row of points is updated.
template <class T, int d, int reach, class Rows, class Update, class Access>
class SteppedGrids {
 public:
  static constexpr int dimensions = d, slope = reach;

  SteppedGrids(const Grids<T, d, Access>& grids, const Update& update)
      : grids_(grids), update_(update), update_row_(Rows::template update<T, d, reach, Update, Access>()) {
    outside_row_.fill(grids.outside);
    for (int k = 0; k < table_rows; ++k) {
      Index number = 0;
      for_each_offset(k, [&](int i, Index offset) { number = number * grids.sizes[i] + offset; });
      distance_[k] = number * grids.ld;
    }
  }

  const std::array<Index, d>& sizes() const { return grids_.sizes; }
  bool periodic() const { return grids_.border == Border::periodic; }

  /// All points of `zoid`, in the order of time.
  void operator()(const Zoid<d>& zoid) const {
    std::array<Index, d> lo = zoid.lo, hi = zoid.hi;
    for (Index t = zoid.begin; t < zoid.end; ++t) {
      step(t, lo, hi);
      for (int i = 0; i < d; ++i) lo[i] += zoid.dlo[i], hi[i] += zoid.dhi[i];
    }
  }

  /// From time t to t + 1, the points lo <= x < hi.
  void step(Index t, const std::array<Index, d>& lo, const std::array<Index, d>& hi) const {
    if constexpr (d == 1) {
      rows(t, {}, 1, lo[0], hi[0]);
    } else if constexpr (d == 2) {
      plane(t, {}, lo[0], hi[0], lo[1], hi[1]);
    } else {
      static_assert(d == 3);
      for (Index z = lo[0]; z < hi[0]; ++z) plane(t, {wrapped(z, 0)}, lo[1], hi[1], lo[2], hi[2]);
    }
  }

 private:
  using Outer = std::array<Index, d - 1>;
  static constexpr int table_rows = power(2 * reach + 1, d - 1);
  /// So many points at once take their neighbours from the row of outside values.
  static constexpr Index outside_points = 128;
  /// And of rows away from the border.
  static constexpr Index points_at_once = 4096;

  Index wrapped(Index x, int dimension) const {
    return x < grids_.sizes[dimension] ? x : x - grids_.sizes[dimension];
  }

  bool is_inner(Index x, int dimension) const { return x >= reach && x < grids_.sizes[dimension] - reach; }

  /// Rows [first, last) of a plane, points [begin, end) of each. Short rows that are away from the border are
  /// updated several at a time.
  void plane(Index t, Outer outer, Index first, Index last, Index begin, Index end) const {
    constexpr int y = d - 2;
    bool inner_plane = true;
    for (int i = 0; i < y; ++i) inner_plane &= is_inner(outer[i], i);
    const Index most = std::max<Index>(1, points_at_once / std::max<Index>(end - begin, 1));
    for (Index row = first, count; row < last; row += count) {
      outer[y] = wrapped(row, y);
      count = 1;
      if (inner_plane && is_inner(outer[y], y))
        count = std::min({most, last - row, grids_.sizes[y] - reach - outer[y]});
      rows(t, outer, count, begin, end);
    }
  }

  /// Points [begin, end), which may wrap around, of `count` rows. Several rows are away from the border.
  void rows(Index t, const Outer& outer, Index count, Index begin, Index end) const {
    const Index n = grids_.sizes[d - 1];
    if (begin >= n) begin -= n, end -= n;
    if (end > n) {
      rows_inside(t, outer, count, 0, end - n);
      end = n;
    }
    if (begin < end) rows_inside(t, outer, count, begin, end);
  }

  void rows_inside(Index t, const Outer& outer, Index count, Index begin, Index end) const {
    const T* rows[table_rows];
    bool has_outside = false, inner_row = true;
    Index own = 0;
    for (int i = 0; i + 1 < d; ++i) {
      own = own * grids_.sizes[i] + outer[i];
      inner_row &= is_inner(outer[i], i);
    }
    const T* const from = grids_.state[t & 1];
    if (inner_row) {
      for (int k = 0; k < table_rows; ++k) rows[k] = from + own * grids_.ld + distance_[k];
    } else {
      for (int k = 0; k < table_rows; ++k) {
        rows[k] = neighbour_row(from, outer, k);
        has_outside |= rows[k] == nullptr;
      }
    }
    T* to = grids_.state[(t + 1) & 1] + own * grids_.ld;
    const Index n = grids_.sizes[d - 1];
    const Index inner_begin = std::clamp<Index>(reach, begin, end);
    const Index inner_end = std::clamp<Index>(n - reach, inner_begin, end);
    if (!has_outside) {
      const Index ld = grids_.ld;
      if (inner_begin < inner_end)
        update_row_(update_, {to, rows, inner_begin, inner_end, count, ld}, grids_.access);
      if (inner_end - inner_begin < end - begin)
        for (Index i = 0; i < count; ++i, to += ld) {
          edge(to, rows, begin, inner_begin);
          edge(to, rows, inner_end, end);
          for (const T*& row : rows) row += ld;
        }
    } else {
      for (Index j = begin; j < inner_begin; ++j) with_outside(to, rows, j, j + 1, true);
      for (Index j = inner_begin; j < inner_end; j += outside_points)
        with_outside(to, rows, j, std::min(j + outside_points, inner_end), false);
      for (Index j = inner_end; j < end; ++j) with_outside(to, rows, j, j + 1, true);
    }
  }

  /// Row k of the neighbours; null where it is beyond a constant border.
  const T* neighbour_row(const T* from, const Outer& outer, int k) const {
    Index number = 0;
    bool is_outside = false;
    for_each_offset(k, [&](int i, Index offset) {
      Index x = outer[i] + offset;
      if (x < 0 || x >= grids_.sizes[i]) {
        is_outside |= grids_.border == Border::constant;
        x = Edge::inside(grids_.border, x, grids_.sizes[i]);
      }
      number = number * grids_.sizes[i] + x;
    });
    return is_outside ? nullptr : from + number * grids_.ld;
  }

  /// body(i, offset) for the offsets of row k of the neighbours.
  template <class Body>
  static void for_each_offset(int k, const Body& body) {
    int weight = table_rows;
    for (int i = 0; i + 1 < d; ++i) {
      weight /= 2 * reach + 1;
      body(i, k / weight % (2 * reach + 1) - reach);
    }
  }

  using Edge = EdgeNeighbours<T, d, reach, Access>;

  /// Points within reach of the ends of the row.
  void edge(T* to, const T* const* rows, Index begin, Index end) const {
    for (Index j = begin; j < end; ++j)
      update_points<T, 1>(update_, to + j,
                          Edge(rows, j, grids_.sizes[d - 1], grids_.border, grids_.outside, grids_.access),
                          grids_.access);
  }

  /// Up to outside_points points, some of whose neighbours are in rows beyond the border.
  void with_outside(T* to, const T* const* rows, Index begin, Index end, bool at_end) const {
    const T* complete[table_rows];
    for (int k = 0; k < table_rows; ++k)
      complete[k] = rows[k] ? rows[k] : outside_row_.data() + reach - begin;
    if (at_end)
      edge(to, complete, begin, end);
    else
      update_row_(update_, {to, complete, begin, end, 1, 0}, grids_.access);
  }

  Grids<T, d, Access> grids_;
  Update update_;
  UpdateRow<T, d, reach, Update, Access> update_row_;
  std::array<T, outside_points + 2 * reach> outside_row_;
  std::array<Index, table_rows> distance_;  ///< of the neighbours' rows from a point's own
};

/// What a schedule needs of stepped grids, so that its text is compiled once for all elements, updates and
/// accesses. It refers to the grids.
template <int d, int reach>
class AnySteppedGrids {
 public:
  static constexpr int dimensions = d, slope = reach;
  using Point = std::array<Index, d>;

  template <class Stepped>
  explicit AnySteppedGrids(const Stepped& grids)
      : grids_(&grids),
        sizes_(grids.sizes()),
        periodic_(grids.periodic()),
        update_(
            [](const void* erased, const Zoid<d>& zoid) { (*static_cast<const Stepped*>(erased))(zoid); }),
        step_([](const void* erased, Index t, const Point& lo, const Point& hi) {
          static_cast<const Stepped*>(erased)->step(t, lo, hi);
        }) {}

  const Point& sizes() const { return sizes_; }
  bool periodic() const { return periodic_; }
  void operator()(const Zoid<d>& zoid) const { update_(grids_, zoid); }
  void step(Index t, const Point& lo, const Point& hi) const { step_(grids_, t, lo, hi); }

 private:
  const void* grids_;
  Point sizes_;
  bool periodic_;
  void (*update_)(const void*, const Zoid<d>&);
  void (*step_)(const void*, Index, const Point&, const Point&);
};

}  // namespace tallcache::cpu::stencil
