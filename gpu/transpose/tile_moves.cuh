// Moving a matrix by tiles of 32 x 32, through shared memory or past it: what the copies and transpositions
// of both ladders are made of.
#pragma once

#include <utility>

#include "gpu/repeats.hpp"
#include "gpu/tile.cuh"

namespace tallcache::gpu::transpose {

inline constexpr int side = 32;  ///< rows and columns of a tile

/// Blocks number the tiles row by row, as the hardware starts them.
struct Cartesian {
  __device__ static Tile tile(const Tiling& tiling) { return tiling.tile(); }
};

/// B(j, i) or B(i, j) = A(i, j), element by element; a block of 32 x 32 / elements threads moves a tile, each
/// thread `elements` of one of its columns.
template <bool transposed, int elements, class T, class Repeats>
__global__ void move_elements(MatrixView<T> b, MatrixView<const T> a, Tiling tiling, Repeats repeats) {
  const Tile first = tiling.origin();
  const Index i = first.row + threadIdx.y, j = first.col + threadIdx.x;
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

/// What becomes of a tile between A and B: its elements are transposed within it, it goes to the transposed
/// place.
template <bool is_within, bool is_place>
struct Move {
  static constexpr bool within = is_within, place = is_place;
};
using Copied = Move<false, false>;
using Transposed = Move<true, true>;
using FineGrainedMove = Move<true, false>;
using CoarseGrainedMove = Move<false, true>;

/// B from A, a tile through shared memory by each block of 32 x 32 / elements threads; reads and writes of
/// global memory run along rows. The rows of the tile are `pad` elements longer than 32. A thread has its
/// `elements` loads under way before it stores the first. Tiles that an edge cuts move as B's contract wants
/// it: transposed if their place is, and not otherwise.
template <class Move, int elements, int pad, class Order, class T, class Repeats>
__global__ void __launch_bounds__(side* side / elements)
    move_tiles(MatrixView<T> b, MatrixView<const T> a, Tiling tiling, Repeats repeats) {
  __shared__ T tile[side][side + pad];
  constexpr int step = side / elements;
  const int ty = threadIdx.y, tx = threadIdx.x;
  const Tile at = Order::tile(tiling);
  const Index row = at.row * side, col = at.col * side;
  const Index i = row + ty, j = col + tx;
  const Index out_i = (Move::place ? col : row) + ty, out_j = (Move::place ? row : col) + tx;
  const bool is_whole = row + side <= a.rows && col + side <= a.cols;
  const bool turn = Move::within == Move::place || is_whole ? Move::within : Move::place;
  for (int r = 0; r < repeats; ++r) {
    T value[elements];
#pragma unroll
    for (int e = 0; e < elements; ++e)
      if (i + e * step < a.rows && j < a.cols) value[e] = a(i + e * step, j);
#pragma unroll
    for (int e = 0; e < elements; ++e)
      if (i + e * step < a.rows && j < a.cols) tile[ty + e * step][tx] = value[e];
    __syncthreads();
#pragma unroll
    for (int e = 0; e < elements; ++e)
      if (out_i + e * step < b.rows && out_j < b.cols)
        b(out_i + e * step, out_j) = turn ? tile[tx][ty + e * step] : tile[ty + e * step][tx];
    if (!std::is_same_v<Repeats, std::integral_constant<int, 1>>) __syncthreads();
  }
}

template <bool transposed, int elements, class Args>
void move_elements(const Launch& launch, const Args& args, const Params& params) {
  const Tiling tiling(args.a.rows, args.a.cols, side, side);
  if (tiling.empty()) return;
  with_repeats(params, [&](auto repeats) {
    move_elements<transposed, elements><<<tiling.grid(), dim3(side, side / elements), 0, stream_of(launch)>>>(
        args.b, args.a, tiling, repeats);
    check_launch();
  });
}

template <class Move, int elements, int pad, class Order = Cartesian, class Args>
void move_tiles(const Launch& launch, const Args& args, const Params& params) {
  const Tiling tiling(args.a.rows, args.a.cols, side, side);
  if (tiling.empty()) return;
  with_repeats(params, [&](auto repeats) {
    move_tiles<Move, elements, pad, Order>
        <<<tiling.grid(), dim3(side, side / elements), 0, stream_of(launch)>>>(args.b, args.a, tiling,
                                                                               repeats);
    check_launch();
  });
}

}  // namespace tallcache::gpu::transpose
