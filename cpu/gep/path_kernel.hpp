// What the recursion of Gaussian elimination's paradigm does at its leaves for shortest paths, in vectors of
// Google Highway that are dispatched at run time: x = min(x, u + v) over tiles.
//
// A tile is `side` x `side` elements, contiguous, by rows; side is a multiple of 16. Of a tile at the border
// of the matrix, `rows` x `cols` elements belong to the matrix; both are rounded up by the kernels, which
// then read and write what lies behind them in the tile.
#pragma once

#include <cstdint>

#include "common/traced.hpp"
#include "common/view.hpp"

namespace tallcache::cpu::gep {

/// The unit of a tile's sides, and the steps k that a leaf on the diagonal, a row or a column does before it
/// updates the rest of the tile.
inline constexpr Index tile_unit = 16;

/// x is updated for `depth` steps k by u(i, k) and v(k, j). `u` of a diagonal or a column tile, `v` of a
/// diagonal or a row tile, is written: it gets the state of x at step k. Both may be x itself, and the states
/// are then those that x happens to have. With predecessors, `p` has that of each element of x, and `q` those
/// of v, or is p.
template <class T>
struct PathTiles {
  T *x, *u, *v;
  std::int32_t *p = nullptr, *q = nullptr;
  Index side, rows, cols, depth;
};

/// All accesses go through the policy.
template <class T, class Access>
struct PathText {
  /// Returns the first step k with x(k, k) < 0, a negative cycle, or -1. It stops there.
  Index (*diagonal)(const PathTiles<T>&, Access);
  void (*row)(const PathTiles<T>&, Access);
  void (*column)(const PathTiles<T>&, Access);
  void (*interior)(const PathTiles<T>&, Access);
  /// x(j) = min(x(j), u + v(j)) for `count` elements of two rows of a matrix, which are not the same row;
  /// with predecessors p(j) = q(j) where x(j) falls.
  void (*relax)(T* x, T u, const T* v, std::int32_t* p, const std::int32_t* q, Index count, Access);
};

template <class T>
struct PathKernel {
  template <class Access>
  using Text = PathText<T, Access>;
  CompiledTexts<Text> distances, predecessors;  ///< without, and with predecessors
};

/// Of the target that this processor dispatches to.
template <class T>
const PathKernel<T>& path_kernel();
template <>
const PathKernel<float>& path_kernel();
template <>
const PathKernel<std::int32_t>& path_kernel();

}  // namespace tallcache::cpu::gep
