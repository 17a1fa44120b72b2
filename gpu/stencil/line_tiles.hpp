// Several steps of a grid of one dimension in one pass: a warp has a tile of neighbouring points in
// registers.
#pragma once

#include "gpu/stencil/passes.hpp"

namespace tallcache::gpu::stencil {

/// The neighbours of point v of a thread's.
template <class T, int points, class Thread>
struct NeighboursInRegisters {
  const Thread& t;
  const T (&own)[points];
  int lane, v;

#ifdef __CUDACC__
#pragma nv_exec_check_disable
#endif
  TALLCACHE_BOTH constexpr Number<T> operator()(int dx) const {
    const int column = v + dx;
    if (column < 0) return t.shuffle(own[column + points], (lane + warp_lanes - 1) % warp_lanes);
    if (column >= points) return t.shuffle(own[column - points], (lane + 1) % warp_lanes);
    return own[column];
  }
};

/// A thread has `points` points; a tile gives warp_lanes * points - 2 halo results, a multiple of a chunk.
template <class T>
struct StepLines {
  static constexpr int points = 16, warps = 4, max_threads = warps * warp_lanes, depth = 32;
  static constexpr int cols = points * warp_lanes, chunk = Chunk<T>::size;

  static int halo(int steps) { return ceil_div(steps, chunk) * chunk; }

  /// As StreamSteps does.
  template <class Thread, class To, class From, class Kind>
  TALLCACHE_DEVICE void operator()(const Thread& t, To to, To to_before, From from, From before, Kind kind,
                                   int steps, int halo, bool wide, Before before_last) const {
    const int lane = static_cast<int>(t.thread().x) % warp_lanes;
    const Index tile = t.block().x * Index{warps} + t.thread().x / warp_lanes, width = cols - 2 * halo;
    const Index first = tile * width, end = first + width < to.cols ? first + width : to.cols;
    if (first >= to.cols) return;
    const StencilBorder border = border_of(kind);
    const T outside = outside_of<T>(kind);
    const Index x = first - halo + lane * points;
    with_update<1>(kind, [&](auto update) {
      using At = NeighboursInRegisters<T, points, Thread>;
      constexpr bool waves = takes_before<T, decltype(update), At>;
      T now[points], last[points] = {};
      load(now, from, border, outside, x, wide);
      if constexpr (waves) load(last, before, border, outside, x, wide);
      for (int s = 0; s < steps; ++s) {
        T next[points];
#pragma unroll
        for (int v = 0; v < points; ++v) next[v] = updated<T>(update, At{t, now, lane, v}, last[v]);
#pragma unroll
        for (int v = 0; v < points; ++v) {
          last[v] = now[v];
          const bool fixed = border == StencilBorder::constant && (x + v < 0 || x + v >= to.cols);
          now[v] = fixed ? outside : next[v];
        }
      }
      store(now, to, x, first, end, wide);
      if (waves || before_last == Before::always) store(last, to_before, x, first, end, wide);
    });
  }

  static unsigned blocks(Index columns, int halo) {
    return grid_of(ceil_div<Index>(ceil_div<Index>(columns, cols - 2 * halo), warps));
  }

 private:
  template <class State>
  static TALLCACHE_INLINE void load(T (&own)[points], const State& state, StencilBorder border, T outside,
                                    Index x, bool wide) {
#pragma unroll
    for (int v = 0; v < points; v += chunk) {
      const bool whole = wide && x + v >= 0 && x + v + chunk <= state.cols;
      Chunk<T> some;
      if (whole) {
        some = vector_at<chunk>(state(0, x + v));
      } else {
#pragma unroll
        for (int e = 0; e < chunk; ++e) {
          const Index column = inside(border, x + v + e, state.cols);
          some.at[e] = column < 0 ? outside : static_cast<T>(state(0, column));
        }
      }
#pragma unroll
      for (int e = 0; e < chunk; ++e) own[v + e] = some.at[e];
    }
  }

  template <class State>
  static TALLCACHE_INLINE void store(const T (&own)[points], const State& state, Index x, Index first,
                                     Index end, bool wide) {
#pragma unroll
    for (int v = 0; v < points; v += chunk) {
      if (x + v < first || x + v >= end) continue;
      Chunk<T> some;
#pragma unroll
      for (int e = 0; e < chunk; ++e) some.at[e] = own[v + e];
      store_chunk(state(0, x + v), 0, end - (x + v), some, wide);
    }
  }
};

/// A pass over a grid of one dimension.
template <class Device, class T, class Access, class Kind>
void line_pass(Device& device, const Pass<T, Access>& pass, const Kind& kind) {
  using Kernel = StepLines<T>;
  const int halo = Kernel::halo(pass.steps);
  launch_kernel(device, Kernel{}, {{Kernel::blocks(pass.now().cols, halo)}, {Kernel::max_threads}},
                pass.result(), pass.result_before(), pass.now(), pass.past(), kind, pass.steps, halo,
                pass.wide(), pass.before);
}

}  // namespace tallcache::gpu::stencil
