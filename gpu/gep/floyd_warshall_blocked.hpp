// Floyd's and Warshall's algorithm over tiles in shared memory (Katz and Kider 2008): for each tile of the
// diagonal itself, then the tiles of its row and its column, then all others.
#pragma once

#include "gpu/gep/path_relaxation.hpp"

namespace tallcache::gpu::gep {

/// A thread has an element of its block's tile.
struct PathTile {
  static constexpr int side = 32, threads = side * side;

  /// x of tile (row, col); infinite beyond the edges.
  template <class Thread, class A>
  static TALLCACHE_DEVICE auto load(const Thread& t, const A& a, Index row, Index col) {
    using T = typename A::value_type;
    const Index i = row * side + t.thread().y, j = col * side + t.thread().x;
    return i < a.rows && j < a.cols ? T(a(i, j)) : PathWeight<T>::inner;
  }
  template <class Thread, class A, class T>
  static TALLCACHE_DEVICE void store(const Thread& t, const A& a, Index row, Index col, T x) {
    const Index i = row * side + t.thread().y, j = col * side + t.thread().x;
    if (i < a.rows && j < a.cols) a(i, j) = x;
  }
};

/// Tile (k, k) by its own vertices, in one block.
struct RelaxDiagonalTile {
  static constexpr int max_threads = PathTile::threads;

  template <class Thread, class A>
  TALLCACHE_DEVICE void operator()(const Thread& t, A a, Index k) const {
    using T = typename A::value_type;
    auto&& tile = shared<0, T[PathTile::side][PathTile::side]>(t);
    const int i = t.thread().y, j = t.thread().x;
    T x = PathTile::load(t, a, k, k);
    tile[i][j] = x;
    t.sync();
    for (int l = 0; l < PathTile::side; ++l) {
      x = relaxed(x, T(tile[i][l]), T(tile[l][j]));
      t.sync();
      tile[i][j] = x;
      t.sync();
    }
    PathTile::store(t, a, k, k, x);
  }
};

/// The tiles of row k and of column k: block (other, 0) and (other, 1).
struct RelaxPanels {
  static constexpr int max_threads = PathTile::threads;

  template <class Thread, class A>
  TALLCACHE_DEVICE void operator()(const Thread& t, A a, Index k) const {
    using T = typename A::value_type;
    auto&& diagonal = shared<0, T[PathTile::side][PathTile::side]>(t);
    auto&& tile = shared<1, T[PathTile::side][PathTile::side]>(t);
    const Index other = t.block().x;
    if (other == k) return;
    const bool is_row = t.block().y == 0;
    const Index row = is_row ? k : other, col = is_row ? other : k;
    const int i = t.thread().y, j = t.thread().x;
    diagonal[i][j] = PathTile::load(t, a, k, k);
    T x = PathTile::load(t, a, row, col);
    tile[i][j] = x;
    t.sync();
    for (int l = 0; l < PathTile::side; ++l) {
      x = is_row ? relaxed(x, T(diagonal[i][l]), T(tile[l][j]))
                 : relaxed(x, T(tile[i][l]), T(diagonal[l][j]));
      t.sync();
      tile[i][j] = x;
      t.sync();
    }
    PathTile::store(t, a, row, col, x);
  }
};

/// All other tiles, by their parts of column k and of row k.
struct RelaxInterior {
  static constexpr int max_threads = PathTile::threads;

  template <class Thread, class A>
  TALLCACHE_DEVICE void operator()(const Thread& t, A a, Index k, Tiling tiling) const {
    using T = typename A::value_type;
    auto&& u = shared<0, T[PathTile::side][PathTile::side]>(t);
    auto&& v = shared<1, T[PathTile::side][PathTile::side]>(t);
    const Tile at = tiling.tile(t);
    if (at.row == k || at.col == k) return;
    const int i = t.thread().y, j = t.thread().x;
    u[i][j] = PathTile::load(t, a, at.row, k);
    v[i][j] = PathTile::load(t, a, k, at.col);
    T x = PathTile::load(t, a, at.row, at.col);
    t.sync();
#pragma unroll
    for (int l = 0; l < PathTile::side; ++l) x = relaxed(x, T(u[i][l]), T(v[l][j]));
    PathTile::store(t, a, at.row, at.col, x);
  }
};

struct floyd_warshall_blocked : OnGpu {
  static constexpr std::string_view idea =
      "tiles of 32 x 32 in shared memory: the diagonal's, its row and column, the others; applies tiling, "
      "coalescing";
  static constexpr std::string_view source = "Katz and Kider 2008";
  using operations = OperationList<ShortestPaths<float>, ShortestPaths<std::int32_t>>;

  template <class Device, class Args>
  static void call(Device& device, const Args& args, const Params&) {
    const Tiling tiling(args.a.rows, args.a.cols, PathTile::side, PathTile::side);
    if (tiling.empty()) return;
    const Dim block{PathTile::side, PathTile::side};
    enter_weights(device, args);
    for (Index k = 0; k < tiling.down; ++k) {
      launch_kernel(device, RelaxDiagonalTile{}, {{1}, block}, args.a, k);
      launch_kernel(device, RelaxPanels{}, {{grid_of(tiling.down), 2}, block}, args.a, k);
      launch_kernel(device, RelaxInterior{}, {{tiling.grid()}, block}, args.a, k, tiling);
    }
    leave_weights(device, args);
  }
};

}  // namespace tallcache::gpu::gep
