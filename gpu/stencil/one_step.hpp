// One step of a grid, a point a thread.
#pragma once

#include <array>

#include "gpu/stencil/grid.hpp"

namespace tallcache::gpu::stencil {

/// The neighbours of point (z, y, x) of a state: at(dx), at(dy, dx) or at(dz, dy, dx). Those of an inner
/// point are all inside the grid.
template <class T, int d, class State, bool inner>
struct NeighboursInMemory {
  const State& state;
  GridSizes sizes;
  StencilBorder border;
  T outside;
  Index z, y, x;

#ifdef __CUDACC__
#pragma nv_exec_check_disable
#endif
  template <class... Offset>
  requires(sizeof...(Offset) == d) TALLCACHE_BOTH constexpr Number<T> operator()(Offset... offset) const {
    const int offsets[] = {0, 0, offset...};
    const int dz = d > 2 ? offsets[d - 1] : 0, dy = d > 1 ? offsets[d] : 0, dx = offsets[d + 1];
    if constexpr (inner) {
      return static_cast<T>(element_at(state(z * sizes.rows + y, x), (dz * sizes.rows + dy) * state.ld + dx));
    } else {
      const Index k = inside(border, z + dz, sizes.planes), i = inside(border, y + dy, sizes.rows);
      const Index j = inside(border, x + dx, sizes.cols);
      if (k < 0 || i < 0 || j < 0) return outside;
      return static_cast<T>(state(k * sizes.rows + i, j));
    }
  }
};

/// `to`, the state one step before `from`, becomes that one step behind it.
template <int d>
struct StepPoints {
  static constexpr int cols = d == 1 ? 256 : 64, rows = 256 / cols, max_threads = cols * rows;
  static constexpr int min_blocks = d == 1 ? 8 : d == 2 ? 6 : 5;

  template <class Thread, class To, class From, class Kind>
  TALLCACHE_DEVICE void operator()(const Thread& t, To to, From from, Kind kind, GridSizes sizes) const {
    const unsigned across = static_cast<unsigned>((sizes.cols + cols - 1) / cols);
    const unsigned down = static_cast<unsigned>((sizes.rows + rows - 1) / rows);
    const unsigned strip = d > 1 ? t.block().x / across : 0, plane = d > 2 ? strip / down : 0;
    const Index x = (t.block().x - strip * across) * Index{cols} + t.thread().x;
    const Index y = d > 1 ? (strip - plane * down) * Index{rows} + t.thread().y : 0, z = plane;
    if (x >= sizes.cols || y >= sizes.rows) return;
    const bool inner = x > 0 && x + 1 < sizes.cols && (d < 2 || (y > 0 && y + 1 < sizes.rows)) &&
                       (d < 3 || (z > 0 && z + 1 < sizes.planes));
    with_update<d>(kind, [&](auto update) {
      if (inner)
        step<true>(update, to, from, kind, sizes, z, y, x);
      else
        step<false>(update, to, from, kind, sizes, z, y, x);
    });
  }

  static unsigned blocks(const GridSizes& sizes) {
    return grid_of(ceil_div<Index>(sizes.cols, cols) * ceil_div<Index>(sizes.rows, rows) * sizes.planes);
  }

 private:
  template <bool inner, class Update, class To, class From, class Kind>
  static TALLCACHE_INLINE void step(const Update& update, const To& to, const From& from, const Kind& kind,
                                    const GridSizes& sizes, Index z, Index y, Index x) {
    using T = typename To::value_type;
    const NeighboursInMemory<T, d, From, inner> at{from, sizes, border_of(kind), outside_of<T>(kind), z,
                                                   y,    x};
    auto&& point = to(z * sizes.rows + y, x);
    T before{};
    if constexpr (takes_before<T, Update, NeighboursInMemory<T, d, From, inner>>) before = point;
    point = updated<T>(update, at, before);
  }
};

/// From time t to t + 1 of a grid of d dimensions.
template <int d, class Device, class Args>
void step_points(Device& device, const Args& args, Index t) {
  using T = typename decltype(args.a)::value_type;
  using Access = typename decltype(args.a)::access_type;
  using Kernel = StepPoints<d>;
  const GridSizes sizes = sizes_of(args);
  const auto to = t % 2 ? args.a : args.b;
  const MatrixView<const T, Access> from = t % 2 ? args.b : args.a;
  launch_kernel(device, Kernel{}, {{Kernel::blocks(sizes)}, {Kernel::cols, Kernel::rows}}, to, from,
                args.kind, sizes);
}

}  // namespace tallcache::gpu::stencil
