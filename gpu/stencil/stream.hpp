// Several steps of a grid of two or three dimensions in one pass: a warp or a block takes a strip that it
// streams through, row by row or plane by plane, with two rows or planes of every step in registers.
#pragma once

#include "gpu/stencil/passes.hpp"

namespace tallcache::gpu::stencil {

/// A strip has 32 `vector` columns; in two dimensions it is a warp's, and streams along the rows. In three it
/// is a block's, `rows` rows a thread, and streams along the planes. A pass has at most `depth` steps.
template <class T_, int d_, int vector_, int rows_, int warps_, int depth_, int blocks_>
struct StripOf {
  using T = T_;
  static constexpr int d = d_, vector = vector_, rows = rows_, warps = warps_, depth = depth_;
  static constexpr int cols = warp_lanes * vector, height = d == 3 ? rows * warps : 1;
  static constexpr int threads = warp_lanes * warps, blocks = blocks_;
  static constexpr int chunk = vector * int{sizeof(T)} <= 16 ? vector : 16 / int{sizeof(T)};

  /// Of three planes of each step, the rows at both ends of a warp's, and room for those of a fourth.
  static constexpr int slots = 4, plane_edges = 2 * warps * cols;
  static constexpr std::size_t shared_bytes = d == 3 ? sizeof(T) * depth * slots * plane_edges : 0;

  static int halo(int steps) { return ceil_div(steps, vector) * vector; }
};

/// The strips of a pass of `steps` steps: `across` x `down` of them, each in `segments` of `length` rows or
/// planes. `wide`: the rows of all states start at multiples of 16 bytes.
struct StreamPlan {
  int planes, length;
  unsigned across, down, segments;
  int steps, halo;
  bool wide;
  Before before;
};

/// The points of one row or plane that a thread has.
template <class Strip>
struct Slab {
  typename Strip::T v[Strip::rows][Strip::vector];
};

/// The rows at the ends of each warp's part of a plane, in shared memory.
template <class Strip, class Memory>
struct WarpEdges {
  using T = typename Strip::T;
  Memory memory;
  int warp, lane;

  TALLCACHE_INLINE int place(int level, unsigned slot, int edge, int of_warp, int v, int of_lane) const {
    return (((level * Strip::slots + static_cast<int>(slot % Strip::slots)) * 2 + edge) * Strip::warps +
            of_warp) *
               Strip::cols +
           v * warp_lanes + of_lane;
  }
  TALLCACHE_INLINE void publish(int level, unsigned slot, const Slab<Strip>& slab) const {
#pragma unroll
    for (int v = 0; v < Strip::vector; ++v) {
      memory[place(level, slot, 0, warp, v, lane)] = slab.v[0][v];
      memory[place(level, slot, 1, warp, v, lane)] = slab.v[Strip::rows - 1][v];
    }
  }
  /// The point (v + dx) of the row above (-1) or below (1) this warp's. Beyond the strip it is any number.
  TALLCACHE_INLINE T read(int level, unsigned slot, int side, int column) const {
    const int of_warp = (warp + side + Strip::warps) % Strip::warps;
    const int of_lane = (lane + (column < 0 ? -1 : column >= Strip::vector ? 1 : 0)) & (warp_lanes - 1);
    const int v = (column + Strip::vector) % Strip::vector;
    return memory[place(level, slot, side < 0 ? 1 : 0, of_warp, v, of_lane)];
  }
};

/// The neighbours of point (r, v) of a thread's slab in the three slabs of a step.
template <class Thread, class Strip, class Edges>
struct NeighboursInSlabs {
  using T = typename Strip::T;
  const Thread& t;
  const Edges& edges;
  const Slab<Strip>&old, &mid, &next;
  int level, lane, r, v;
  unsigned slot;  ///< of `next`

#ifdef __CUDACC__
#pragma nv_exec_check_disable
#endif
  TALLCACHE_BOTH constexpr Number<T> operator()(int dy, int dx) const requires(Strip::d == 2) {
    return dy < 0 ? get(old, slot, 0, dx) : dy == 0 ? get(mid, slot, 0, dx) : get(next, slot, 0, dx);
  }
#ifdef __CUDACC__
#pragma nv_exec_check_disable
#endif
  TALLCACHE_BOTH constexpr Number<T> operator()(int dz, int dy, int dx) const requires(Strip::d == 3) {
    return dz < 0    ? get(old, slot - 2, dy, dx)
           : dz == 0 ? get(mid, slot - 1, dy, dx)
                     : get(next, slot, dy, dx);
  }

 private:
#ifdef __CUDACC__
#pragma nv_exec_check_disable
#endif
  TALLCACHE_BOTH constexpr T get(const Slab<Strip>& slab, unsigned of_slot, int dy, int dx) const {
    const int row = r + dy, column = v + dx;
    if constexpr (Strip::d == 3) {
      if (row < 0) return edges.read(level, of_slot, -1, column);
      if (row >= Strip::rows) return edges.read(level, of_slot, 1, column);
    }
    if (column < 0)
      return t.shuffle(slab.v[row][column + Strip::vector], (lane + warp_lanes - 1) % warp_lanes);
    if (column >= Strip::vector)
      return t.shuffle(slab.v[row][column - Strip::vector], (lane + 1) % warp_lanes);
    return slab.v[row][column];
  }
};

/// A thread's place in the grid, of which no size exceeds an int.
template <class Strip>
struct StripPlace {
  using T = typename Strip::T;
  int planes, rows, cols;
  StencilBorder border;
  T outside;
  int lane, warp;
  int x, y;                 ///< its first column and, in three dimensions, its first row
  int begin, end;           ///< the rows or planes whose results are stored
  bool plain, wide, fixed;  ///< all columns are inside; and aligned; points beyond a constant border occur

  TALLCACHE_INLINE int extent() const { return Strip::d == 3 ? planes : rows; }
  /// The state's row of row r of slab s, or -1.
  TALLCACHE_INLINE Index row(int s, int r) const {
    const int slab = inside(border, s, extent());
    if constexpr (Strip::d == 2) {
      return slab;
    } else {
      const int own = inside(border, y + r, rows);
      return slab < 0 || own < 0 ? -1 : slab * Index{rows} + own;
    }
  }

  template <class State>
  TALLCACHE_INLINE Slab<Strip> load(const State& state, int s) const {
    Slab<Strip> slab;
#pragma unroll
    for (int r = 0; r < Strip::rows; ++r) {
      const Index from = row(s, r);
#pragma unroll
      for (int v = 0; v < Strip::vector; v += Strip::chunk) {
        if (from >= 0 && wide) {
          const Vector<T, Strip::chunk> chunk = vector_at<Strip::chunk>(state(from, x + v));
#pragma unroll
          for (int e = 0; e < Strip::chunk; ++e) slab.v[r][v + e] = chunk.at[e];
        } else {
#pragma unroll
          for (int e = 0; e < Strip::chunk; ++e) {
            const int column = plain ? x + v + e : inside(border, x + v + e, cols);
            slab.v[r][v + e] = from < 0 || column < 0 ? outside : static_cast<T>(state(from, column));
          }
        }
      }
    }
    return slab;
  }

  /// Stores what is a result of this strip and inside the grid.
  template <class State>
  TALLCACHE_INLINE void store(const State& state, int s, const Slab<Strip>& slab,
                              const StreamPlan& plan) const {
    if (s < begin || s >= end) return;
    const int last_row = Strip::height - plan.steps, last_column = Strip::cols - plan.halo;
#pragma unroll
    for (int r = 0; r < Strip::rows; ++r) {
      const int own = warp * Strip::rows + r;
      if (Strip::d == 3 && (own < plan.steps || own >= last_row || y + r >= rows)) continue;
      const Index to = Strip::d == 3 ? s * Index{rows} + (y + r) : s;
#pragma unroll
      for (int v = 0; v < Strip::vector; v += Strip::chunk) {
        const int column = lane * Strip::vector + v;
        if (column < plan.halo || column >= last_column || x + v >= cols) continue;
        Vector<T, Strip::chunk> chunk;
#pragma unroll
        for (int e = 0; e < Strip::chunk; ++e) chunk.at[e] = slab.v[r][v + e];
        store_chunk(state(to, x + v), 0, cols - (x + v), chunk, plan.wide);
      }
    }
  }

  /// What lies beyond a constant border stays as it is.
  TALLCACHE_INLINE void fix(Slab<Strip>& slab, int s) const {
    const bool beyond = s < 0 || s >= extent();
#pragma unroll
    for (int r = 0; r < Strip::rows; ++r) {
      const bool row_beyond = beyond || (Strip::d == 3 && (y + r < 0 || y + r >= rows));
#pragma unroll
      for (int v = 0; v < Strip::vector; ++v)
        if (row_beyond || x + v < 0 || x + v >= cols) slab.v[r][v] = outside;
    }
  }
};

template <class Strip>
struct StreamSteps {
  static constexpr int max_threads = Strip::threads, min_blocks = Strip::blocks;
  static constexpr std::size_t max_dynamic_shared_bytes = Strip::shared_bytes;
  using T = typename Strip::T;

  /// `to` becomes the state plan.steps steps behind `from`, and `to_before`, where it is wanted, that of one
  /// step less. `before` is the state one step before `from`, which only some updates read.
  template <class Thread, class To, class From, class Kind>
  TALLCACHE_DEVICE void operator()(const Thread& t, To to, To to_before, From from, From before, Kind kind,
                                   StreamPlan plan) const {
    StripPlace<Strip> place;
    if (!find(t, to, kind, plan, place)) return;
    with_update<Strip::d>(kind,
                          [&](auto update) { stream(t, to, to_before, from, before, plan, place, update); });
  }

 private:
  template <class Thread, class To, class Kind>
  static TALLCACHE_INLINE bool find(const Thread& t, const To& to, const Kind& kind, const StreamPlan& plan,
                                    StripPlace<Strip>& place) {
    const int warp = static_cast<int>(t.thread().x) / warp_lanes,
              lane = static_cast<int>(t.thread().x) % warp_lanes;
    const unsigned item = Strip::d == 3 ? t.block().x : t.block().x * Strip::warps + warp;
    const unsigned segment = item / (plan.across * plan.down),
                   strip = item - segment * (plan.across * plan.down);
    if (segment >= plan.segments) return false;
    const int down = static_cast<int>(strip / plan.across), across = static_cast<int>(strip % plan.across);
    place.planes = static_cast<int>(plan.planes), place.rows = static_cast<int>(to.rows / plan.planes);
    place.cols = static_cast<int>(to.cols);
    place.border = border_of(kind), place.outside = outside_of<T>(kind), place.lane = lane, place.warp = warp;
    const int left = across * (Strip::cols - 2 * plan.halo) - plan.halo;
    place.x = left + lane * Strip::vector;
    place.plain = left >= 0 && left + Strip::cols <= place.cols;
    place.wide = place.plain && plan.wide;
    place.begin = static_cast<int>(segment) * plan.length;
    place.end = place.begin + plan.length < place.extent() ? place.begin + plan.length : place.extent();
    bool inner = place.plain && place.begin >= plan.steps && place.end + plan.steps <= place.extent();
    if constexpr (Strip::d == 3) {
      const int top = down * (Strip::height - 2 * plan.steps) - plan.steps;
      place.y = top + warp * Strip::rows;
      inner = inner && top >= 0 && top + Strip::height <= place.rows;
    }
    place.fixed = place.border == StencilBorder::constant && !inner;
    return true;
  }

  template <class Thread, class To, class From, class Update>
  static TALLCACHE_INLINE void stream(const Thread& t, const To& to, const To& to_before, const From& from,
                                      const From& before, const StreamPlan& plan,
                                      const StripPlace<Strip>& place, Update update) {
    auto&& memory = dynamic_shared<T>(t);
    using Edges = WarpEdges<Strip, std::decay_t<decltype(memory)>>;
    using At = NeighboursInSlabs<Thread, Strip, Edges>;
    constexpr bool waves = takes_before<T, Update, At>, star = requires { Update::star; };
    const Edges edges{memory, place.warp, place.lane};
    const bool writes_before = plan.before == Before::always || (waves && plan.before == Before::where_taken);
    Slab<Strip> window[Strip::depth][2] = {};
    Slab<Strip> coming = place.load(from, place.begin - plan.steps), coming_before{};
    const int skipped = Strip::depth - plan.steps, first = place.begin - plan.steps,
              end = place.end + plan.steps;

    const auto advance = [&](int i, auto parity) {
      constexpr int p = decltype(parity)::value;
      Slab<Strip> next = coming, carried = coming_before;
      if (i + 1 < end) coming = place.load(from, i + 1);
      if constexpr (waves) coming_before = place.load(before, i);
      const auto slot = static_cast<unsigned>(i - first);
#pragma unroll
      for (int level = 0; level < Strip::depth; ++level) {
        if (level < skipped) continue;  // a pass of fewer steps takes the last levels
        Slab<Strip>&old = window[level][p], &mid = window[level][1 - p];
        if constexpr (Strip::d == 3) {
          edges.publish(level, slot, next);
          if (!star) t.sync();
        }
        Slab<Strip> result;
#pragma unroll
        for (int r = 0; r < Strip::rows; ++r)
#pragma unroll
          for (int v = 0; v < Strip::vector; ++v)
            result.v[r][v] = updated<T>(update, At{t, edges, old, mid, next, level, place.lane, r, v, slot},
                                        carried.v[r][v]);
        if (place.fixed) place.fix(result, i - level - 1 + skipped);
        if (level + 1 == Strip::depth && writes_before) place.store(to_before, i - plan.steps, mid, plan);
        carried = old, old = next, next = result;
      }
      place.store(to, i - plan.steps, next, plan);
      if (Strip::d == 3 && star) t.sync();
    };
    for (int i = first; i < end; i += 2) {
      advance(i, std::integral_constant<int, 0>{});
      if (i + 1 < end) advance(i + 1, std::integral_constant<int, 1>{});
    }
  }
};

}  // namespace tallcache::gpu::stencil
