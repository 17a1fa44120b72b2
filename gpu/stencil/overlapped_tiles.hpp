// Several steps a pass: a block brings a tile with a halo into shared memory, steps it there, and writes what
// its halo was wide enough for.
#pragma once

#include "gpu/stencil/passes.hpp"

namespace tallcache::gpu::stencil {

/// The tile of a block in shared memory: all of it, with its halo.
template <int d>
struct SharedTile {
  static constexpr int cols = d == 1 ? 2048 : d == 2 ? 64 : 32, rows = d == 1 ? 1 : d == 2 ? 64 : 16;
  static constexpr int planes = d == 3 ? 8 : 1, points = cols * rows * planes, plane = rows * cols;
  static constexpr int depth = d == 1 ? 64 : d == 2 ? 8 : 2;
};

/// The neighbours of a point of the tile, which is not on its rim.
template <class T, int d, class Memory>
struct NeighboursInTile {
  const Memory& memory;
  int own;

#ifdef __CUDACC__
#pragma nv_exec_check_disable
#endif
  template <class... Offset>
  requires(sizeof...(Offset) == d) TALLCACHE_BOTH constexpr Number<T> operator()(Offset... offset) const {
    const int offsets[] = {0, 0, offset...};
    const int dz = d > 2 ? offsets[d - 1] : 0, dy = d > 1 ? offsets[d] : 0;
    return static_cast<T>(
        memory[own + dz * SharedTile<d>::plane + dy * SharedTile<d>::cols + offsets[d + 1]]);
  }
};

template <class T, int d>
struct StepTile {
  using Tile = SharedTile<d>;
  static constexpr int max_threads = 256;
  static constexpr std::size_t max_dynamic_shared_bytes = 2 * sizeof(T) * Tile::points;

  /// As StreamSteps does; the halo is as wide as there are steps.
  template <class Thread, class To, class From, class Kind>
  TALLCACHE_DEVICE void operator()(const Thread& t, To to, To to_before, From from, From before, Kind kind,
                                   GridSizes sizes, int steps, Before wanted) const {
    auto&& memory = dynamic_shared<T>(t);
    const Origin first = origin(t, sizes, steps);
    const StencilBorder border = border_of(kind);
    with_update<d>(kind, [&](auto update) {
      using At = NeighboursInTile<T, d, std::decay_t<decltype(memory)>>;
      constexpr bool waves = takes_before<T, decltype(update), At>;
      load(t, memory, 0, from, sizes, border, first);
      if constexpr (waves) load(t, memory, Tile::points, before, sizes, border, first);
      t.sync();
      int now = 0, next = Tile::points;
      for (int s = 0; s < steps; ++s) {
        for (int i = t.thread().x; i < Tile::points; i += max_threads) {
          if (on_rim(i)) continue;
          const bool fixed = border == StencilBorder::constant && !is_inside(sizes, first, i);
          T past{};
          if constexpr (waves) past = memory[next + i];
          memory[next + i] =
              fixed ? static_cast<T>(stencil_outside) : updated<T>(update, At{memory, now + i}, past);
        }
        t.sync();
        const int other = now;
        now = next, next = other;
      }
      store(t, memory, now, to, sizes, first, steps);
      if (wanted == Before::always || waves) store(t, memory, next, to_before, sizes, first, steps);
    });
  }

  static unsigned blocks(const GridSizes& sizes, int steps) {
    return grid_of(ceil_div<Index>(sizes.cols, Tile::cols - 2 * steps) *
                   (d > 1 ? ceil_div<Index>(sizes.rows, Tile::rows - 2 * steps) : 1) *
                   (d > 2 ? ceil_div<Index>(sizes.planes, Tile::planes - 2 * steps) : 1));
  }

 private:
  struct Origin {
    Index z, y, x;
  };
  static TALLCACHE_INLINE int column(int i) { return i % Tile::cols; }
  static TALLCACHE_INLINE int row(int i) { return i / Tile::cols % Tile::rows; }
  static TALLCACHE_INLINE int plane(int i) { return i / Tile::plane; }

  template <class Thread>
  static TALLCACHE_INLINE Origin origin(const Thread& t, const GridSizes& sizes, int steps) {
    const int width = Tile::cols - 2 * steps, height = d > 1 ? Tile::rows - 2 * steps : 1;
    const unsigned across = static_cast<unsigned>((sizes.cols + width - 1) / width);
    const unsigned down = static_cast<unsigned>((sizes.rows + height - 1) / height);
    const unsigned strip = t.block().x / across, layer = strip / down;
    return {d > 2 ? layer * Index{Tile::planes - 2 * steps} - steps : 0,
            d > 1 ? (strip - layer * down) * Index{height} - steps : 0,
            (t.block().x - strip * across) * Index{width} - steps};
  }

  static TALLCACHE_INLINE bool on_rim(int i) {
    const int x = column(i), y = row(i), z = plane(i);
    return x == 0 || x == Tile::cols - 1 || (d > 1 && (y == 0 || y == Tile::rows - 1)) ||
           (d > 2 && (z == 0 || z == Tile::planes - 1));
  }
  static TALLCACHE_INLINE bool is_inside(const GridSizes& sizes, const Origin& first, int i) {
    const Index x = first.x + column(i), y = first.y + row(i), z = first.z + plane(i);
    return x >= 0 && x < sizes.cols && y >= 0 && y < sizes.rows && z >= 0 && z < sizes.planes;
  }

  template <class Thread, class Memory, class State>
  static TALLCACHE_INLINE void load(const Thread& t, const Memory& memory, int to, const State& state,
                                    const GridSizes& sizes, StencilBorder border, const Origin& first) {
    for (int i = t.thread().x; i < Tile::points; i += max_threads) {
      const Index x = inside(border, first.x + column(i), sizes.cols);
      const Index y = inside(border, first.y + row(i), sizes.rows);
      const Index z = inside(border, first.z + plane(i), sizes.planes);
      memory[to + i] = x < 0 || y < 0 || z < 0 ? static_cast<T>(stencil_outside)
                                               : static_cast<T>(state(z * sizes.rows + y, x));
    }
  }
  template <class Thread, class Memory, class State>
  static TALLCACHE_INLINE void store(const Thread& t, const Memory& memory, int from, const State& state,
                                     const GridSizes& sizes, const Origin& first, int steps) {
    for (int i = t.thread().x; i < Tile::points; i += max_threads) {
      const int x = column(i), y = row(i), z = plane(i);
      const bool result = x >= steps && x < Tile::cols - steps &&
                          (d < 2 || (y >= steps && y < Tile::rows - steps)) &&
                          (d < 3 || (z >= steps && z < Tile::planes - steps));
      if (result && is_inside(sizes, first, i))
        state((first.z + z) * sizes.rows + first.y + y, first.x + x) = static_cast<T>(memory[from + i]);
    }
  }
};

struct overlapped_tiles : OnGpu {
  static constexpr std::string_view idea =
      "several steps a pass: tiles in shared memory, with a halo as wide as there are steps, whose points "
      "several blocks compute; applies tiling";
  static constexpr std::string_view source = "Meng, Skadron 2009";
  static constexpr Index depths[] = {2, 3, 4, 8, 16, 64};
  static constexpr ParamSpec params[] = {
      {"depth", 64, "steps of a pass, at most; no more than a tile allows", 2, depths}};
  using operations = OperationList<Stencil<double>, Stencil<float>>;

  template <class Device = Launch, class Op>
  static std::size_t scratch(Op op, const Shape& shape, const Params&) {
    return scratch_of_passes(op, shape);
  }

  template <class Device, class Args>
  static void call(Device& device, const Args& args, const Params& params) {
    with_dimensions(sizes_of(args),
                    [&](auto dimensions) { start<dimensions()>(device, args, params["depth"]); });
  }

 private:
  template <int d, class Device, class Args>
  static void start(Device& device, const Args& args, Index depth) {
    using Kernel = StepTile<typename decltype(args.a)::value_type, d>;
    const GridSizes sizes = sizes_of(args);
    run_passes<d>(device, args, std::min<Index>(depth, SharedTile<d>::depth), [&](const auto& pass) {
      launch_kernel(
          device, Kernel{},
          {{Kernel::blocks(sizes, pass.steps)}, {Kernel::max_threads}, Kernel::max_dynamic_shared_bytes},
          pass.result(), pass.result_before(), pass.now(), pass.past(), args.kind, sizes, pass.steps,
          pass.before);
    });
  }
};

}  // namespace tallcache::gpu::stencil
