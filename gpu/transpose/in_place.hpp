// A = A^T in place. A block reads a tile on or above the diagonal and its
// mirror image, and writes each to the other's place.
#pragma once

#include "common/ops/transpose.hpp"
#include "gpu/tile.hpp"
#include "gpu/transpose/transposed_tile.hpp"

namespace tallcache::gpu::transpose {

/// The order of the tiles on and above the diagonal of n x n tiles: a row from
/// the top and then one from the bottom. Two such rows have n + 1 tiles.
struct TriangularOrder {
  unsigned n;

  unsigned tiles() const { return grid_of(Index{n} * (n + 1) / 2); }

  TALLCACHE_DEVICE Tile tile(unsigned index) const {
    const unsigned row = index / (n + 1), col = row + index % (n + 1), mirrored = n - 1 - row;
    if (col < n) return {row, col};
    return {mirrored, mirrored + (col - n)};
  }
};

template <int side, int threads>
struct SwapTiles {
  static constexpr int max_threads = threads;

  template <class Thread, class A>
  TALLCACHE_DEVICE void operator()(const Thread& t, A a, TriangularOrder order) const {
    using SharedTile = TransposedTile<typename A::value_type, side, threads>;
    auto&& above = shared<0, typename SharedTile::Memory, 16>(t);
    auto&& below = shared<1, typename SharedTile::Memory, 16>(t);
    const Tile at = order.tile(t.block().x);
    const Index i = at.row * side, j = at.col * side;
    {
      const typename SharedTile::Squares upper(t, a, i, j);
      if (i != j) {
        const typename SharedTile::Squares lower(t, a, j, i);
        SharedTile::load_transposed(t, below, lower, OnTime{});
      }
      SharedTile::load_transposed(t, above, upper, OnTime{});
    }
    t.sync();
    SharedTile::store(t, above, a, j, i, OnTime{});
    if (i != j) SharedTile::store(t, below, a, i, j, OnTime{});
  }
};

/// The same for rows that start anywhere, one element an access.
template <int side, int threads>
struct SwapElements {
  static constexpr int max_threads = threads, step = threads / side, loads = side / step;

  template <class Thread, class A>
  TALLCACHE_DEVICE void operator()(const Thread& t, A a, TriangularOrder order) const {
    using T = typename A::value_type;
    auto&& above = shared<0, T[side][side + 1]>(t);
    auto&& below = shared<1, T[side][side + 1]>(t);
    const Tile at = order.tile(t.block().x);
    const int x = static_cast<int>(t.thread().x) % side, y = static_cast<int>(t.thread().x) / side;
    const auto load = [&](auto& tile, Index i, Index j) {
      T value[loads];
#pragma unroll
      for (int e = 0; e < loads; ++e)
        if (i + y + e * step < a.rows && j + x < a.cols) value[e] = a(i + y + e * step, j + x);
#pragma unroll
      for (int e = 0; e < loads; ++e) tile[y + e * step][x] = value[e];
    };
    const auto store = [&](const auto& tile, Index i, Index j) {
#pragma unroll
      for (int e = 0; e < loads; ++e)
        if (i + y + e * step < a.rows && j + x < a.cols) a(i + y + e * step, j + x) = tile[x][y + e * step];
    };
    const Index i = at.row * side, j = at.col * side;
    load(above, i, j);
    if (i != j) load(below, j, i);
    t.sync();
    store(above, j, i);
    if (i != j) store(below, i, j);
  }
};

struct in_place : OnGpu {
  static constexpr std::string_view idea =
      "a block swaps two tiles that mirror each other, 16 bytes an access "
      "where rows are whole 16 bytes; "
      "applies coalescing, tiling, coarsening";
  static constexpr std::string_view source = "M6: REC-TRANSPOSE in place, on the GPU";
  using operations =
      OperationList<TransposeInPlace<float>, TransposeInPlace<double>, TransposeInPlace<std::int32_t>>;

  template <class Device, class Args>
  static void call(Device& device, const Args& args, const Params&) {
    using T = typename decltype(args.a)::value_type;
    constexpr int side = 256 / sizeof(T), threads = 128, element_threads = 256;
    if (args.a.rows == 0) return;
    const TriangularOrder order{static_cast<unsigned>(ceil_div(args.a.rows, side))};
    if (rows_are_chunks(args.a))
      launch_kernel(device, SwapTiles<side, threads>{}, {{order.tiles()}, {threads}}, args.a, order);
    else
      launch_kernel(device, SwapElements<side, element_threads>{}, {{order.tiles()}, {element_threads}},
                    args.a, order);
  }
};

}  // namespace tallcache::gpu::transpose
