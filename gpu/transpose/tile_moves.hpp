// Moves a matrix by tiles of 32 x 32, through shared memory or without it. The copies and transpositions of
// both texts are built from these kernels.
#pragma once

#include <utility>

#include "gpu/repeats.hpp"
#include "gpu/tile.hpp"

namespace tallcache::gpu::transpose {

inline constexpr int side = 32;  ///< rows and columns of a tile

/// Blocks process the tiles row by row, as the hardware starts them.
struct Cartesian {
  template <class Thread>
  TALLCACHE_DEVICE static Tile tile(const Thread& t, const Tiling& tiling) {
    return tiling.tile(t);
  }
};

/// B(j, i) or B(i, j) = A(i, j), element by element. A block of 32 x 32 / elements threads moves a tile, each
/// thread `elements` of one of its columns.
template <bool transposed, int elements>
struct MoveElements {
  template <class Thread, class B, class A, class Repeats>
  TALLCACHE_DEVICE void operator()(const Thread& t, B b, A a, Tiling tiling, Repeats repeats) const {
    const Tile first = tiling.origin(t);
    const Index i = first.row + t.thread().y, j = first.col + t.thread().x;
    constexpr int step = side / elements;
    for (int r = 0; r < repeats; ++r)
#pragma unroll
      for (int e = 0; e < side; e += step)
        if (i + e < a.rows && j < a.cols) {
          if constexpr (transposed)
            b(j, i + e) = a(i + e, j);
          else
            b(i + e, j) = a(i + e, j);
        }
  }
};

/// The two parts of moving a tile from A to B: whether its elements are transposed within it, and whether it
/// goes to the transposed place.
template <bool is_within, bool is_place>
struct Move {
  static constexpr bool within = is_within, place = is_place;
};
using Copied = Move<false, false>;
using Transposed = Move<true, true>;
using FineGrainedMove = Move<true, false>;
using CoarseGrainedMove = Move<false, true>;

/// Moves A to B. Each block of 32 x 32 / elements threads moves a tile through shared memory; reads and
/// writes of global memory run along rows. The rows of the tile are `pad` elements longer than 32. A thread
/// issues its `elements` loads before it stores the first. Tiles that an edge cuts follow B's contract: they
/// are transposed if their place is, and not otherwise.
template <class Move, int elements, int pad, class Order>
struct MoveTiles {
  static constexpr int max_threads = side * side / elements;

  template <class Thread, class B, class A, class Repeats>
  TALLCACHE_DEVICE void operator()(const Thread& t, B b, A a, Tiling tiling, Repeats repeats) const {
    using T = typename B::value_type;
    auto&& tile = shared<0, T[side][side + pad]>(t);
    constexpr int step = side / elements;
    const int ty = t.thread().y, tx = t.thread().x;
    const Tile at = Order::tile(t, tiling);
    const Index row = at.row * side, col = at.col * side;
    const Index i = row + ty, j = col + tx;
    const Index out_i = (Move::place ? col : row) + ty, out_j = (Move::place ? row : col) + tx;
    const bool is_whole = row + side <= a.rows && col + side <= a.cols;
    const bool is_transposed = Move::within == Move::place || is_whole ? Move::within : Move::place;
    for (int r = 0; r < repeats; ++r) {
      T value[elements];
#pragma unroll
      for (int e = 0; e < elements; ++e)
        if (i + e * step < a.rows && j < a.cols) value[e] = a(i + e * step, j);
#pragma unroll
      for (int e = 0; e < elements; ++e)
        if (i + e * step < a.rows && j < a.cols) tile[ty + e * step][tx] = value[e];
      t.sync();
#pragma unroll
      for (int e = 0; e < elements; ++e)
        if (out_i + e * step < b.rows && out_j < b.cols)
          b(out_i + e * step, out_j) = is_transposed ? tile[tx][ty + e * step] : tile[ty + e * step][tx];
      if (!std::is_same_v<Repeats, std::integral_constant<int, 1>>) t.sync();
    }
  }
};

template <bool transposed, int elements, class Device, class Args>
void move_elements(Device& device, const Args& args, const Params& params) {
  const Tiling tiling(args.a.rows, args.a.cols, side, side);
  if (tiling.empty()) return;
  with_repeats(params, [&](auto repeats) {
    launch_kernel(device, MoveElements<transposed, elements>{}, {{tiling.grid()}, {side, side / elements}},
                  args.b, args.a, tiling, repeats);
  });
}

template <class Move, int elements, int pad, class Order = Cartesian, class Device, class Args>
void move_tiles(Device& device, const Args& args, const Params& params) {
  const Tiling tiling(args.a.rows, args.a.cols, side, side);
  if (tiling.empty()) return;
  with_repeats(params, [&](auto repeats) {
    launch_kernel(device, MoveTiles<Move, elements, pad, Order>{}, {{tiling.grid()}, {side, side / elements}},
                  args.b, args.a, tiling, repeats);
  });
}

}  // namespace tallcache::gpu::transpose
