// The leaves of the recursion of shortest paths on the device: 64 vertices, their rows and their columns.
//
// As C-GEP does, they keep what each step k reads: of x(i, k) its state before the step, to u(k, i), and of
// row k, to v(k, j), with the predecessors q(k, j). All later updates read those, so that every sum is one
// of the loops.
#pragma once

#include "gpu/gep/path_relaxation.hpp"

namespace tallcache::gpu::gep {

constexpr int path_vector = 4;  ///< the elements of 16 bytes
template <class T>
using PathVector = Vector<T, path_vector>;

/// Elements (i, j) to (i, j + 3); `beyond` where there are none. Where `wide`, a's rows start at multiples of
/// 16 bytes.
template <class T, class A>
TALLCACHE_INLINE PathVector<T> load_path_vector(const A& a, Index i, Index j, bool wide, T beyond) {
  PathVector<T> chunk{{beyond, beyond, beyond, beyond}};
  if (i >= a.rows) return chunk;
  if (wide && j + path_vector <= a.cols) return vector_at<path_vector>(a(i, j));
#pragma unroll
  for (int e = 0; e < path_vector; ++e)
    if (j + e < a.cols) chunk.at[e] = a(i, j + e);
  return chunk;
}

template <class T, class A>
TALLCACHE_INLINE void store_path_vector(const A& a, Index i, Index j, bool wide, const PathVector<T>& chunk) {
  if (i >= a.rows) return;
  if (wide && j + path_vector <= a.cols) {
    vector_at<path_vector>(a(i, j)) = chunk;
    return;
  }
#pragma unroll
  for (int e = 0; e < path_vector; ++e)
    if (j + e < a.cols) a(i, j + e) = chunk.at[e];
}

/// A block of 256 threads relaxes a tile of 64 x 64 by 64 vertices, of which the first is `first`: the
/// diagonal's tile in a grid of one block, otherwise the tiles of their rows (even blocks) and of their
/// columns. A thread has 4 x 4 elements. u, v and q begin with these vertices.
template <bool trees>
struct RelaxLeaf {
  static constexpr int side = 64, each = 4, across = side / each, max_threads = across * across;

  template <class Thread, class A, class P>
  TALLCACHE_DEVICE void operator()(const Thread& t, A a, P p, A u, A v, P q, Index first, bool wide) const {
    using T = typename A::value_type;
    auto&& u_tile = shared<0, T[side][side], 16>(t);
    auto&& v_tile = shared<1, T[side][side], 16>(t);
    auto&& q_tile = shared<2, std::int32_t[trees ? side : 1][side], 16>(t);
    const bool is_diagonal = t.grid_dim().x == 1;
    const bool is_row = is_diagonal || t.block().x % 2 == 0, is_column = is_diagonal || t.block().x % 2 == 1;
    const Index strip = is_diagonal ? first : Index{t.block().x / 2} * side;
    if (!is_diagonal && strip == first) return;
    const Index row = is_column ? strip : first, col = is_row ? strip : first;
    const int id = t.thread().x, x0 = id % across * each, y0 = id / across * each;

    PathVector<T> x[each];
    PathVector<std::int32_t> before[trees ? each : 1];
#pragma unroll
    for (int r = 0; r < each; ++r) {
      x[r] = load_path_vector<T>(a, row + y0 + r, col + x0, wide, PathWeight<T>::inner);
      if constexpr (trees) before[r] = load_path_vector<std::int32_t>(p, row + y0 + r, col + x0, wide, -1);
    }
#pragma unroll
    for (int r = 0; r < each; ++r) {
      if (!is_column) vector_at<each>(u_tile[y0 + r][x0]) = vector_of<T>(u, y0 + r, first + x0);
      if (is_row) continue;
      vector_at<each>(v_tile[y0 + r][x0]) = vector_of<T>(v, y0 + r, first + x0);
      if constexpr (trees)
        vector_at<each>(q_tile[y0 + r][x0]) = vector_of<std::int32_t>(q, y0 + r, first + x0);
    }
    relax_tile(t, x, before, u_tile, v_tile, q_tile, is_row, is_column);
#pragma unroll
    for (int r = 0; r < each; ++r) {
      store_path_vector(a, row + y0 + r, col + x0, wide, x[r]);
      if constexpr (trees) store_path_vector(p, row + y0 + r, col + x0, wide, before[r]);
      if (is_column) vector_at<each>(u(y0 + r, row + x0)) = vector_of_tile<T>(u_tile, y0 + r, x0);
      if (!is_row) continue;
      vector_at<each>(v(y0 + r, col + x0)) = vector_of_tile<T>(v_tile, y0 + r, x0);
      if constexpr (trees)
        vector_at<each>(q(y0 + r, col + x0)) = vector_of_tile<std::int32_t>(q_tile, y0 + r, x0);
    }
  }

 private:
  /// All steps. Before step k its row and its column, where they change, go to shared memory; the tiles there
  /// keep them.
  template <class Thread, class T, int height, class Tile, class VertexTile>
  static TALLCACHE_INLINE void relax_tile(const Thread& t, PathVector<T> (&x)[each],
                                          PathVector<std::int32_t> (&before)[height], Tile&& u_tile,
                                          Tile&& v_tile, VertexTile&& q_tile, bool is_row, bool is_column) {
    const int id = t.thread().x, x0 = id % across * each, y0 = id / across * each;
#pragma unroll 1
    for (int k = 0; k < side; k += each)
#pragma unroll
      for (int e = 0; e < each; ++e) {
        if (is_column && x0 == k)
          vector_at<each>(u_tile[k + e][y0]) =
              PathVector<T>{{x[0].at[e], x[1].at[e], x[2].at[e], x[3].at[e]}};
        if (is_row && y0 == k) {
          vector_at<each>(v_tile[k + e][x0]) = x[e];
          if constexpr (trees) vector_at<each>(q_tile[k + e][x0]) = before[e];
        }
        t.sync();
        const PathVector<T> of_rows = vector_at<each>(u_tile[k + e][y0]);
        const PathVector<T> of_cols = vector_at<each>(v_tile[k + e][x0]);
        PathVector<std::int32_t> of_trees{};
        if constexpr (trees) of_trees = vector_at<each>(q_tile[k + e][x0]);
#pragma unroll
        for (int r = 0; r < each; ++r)
#pragma unroll
          for (int c = 0; c < each; ++c)
            relax<trees>(x[r].at[c], before[trees ? r : 0].at[c], of_rows.at[r], of_cols.at[c],
                         of_trees.at[c]);
      }
  }

  template <class T, class A>
  static TALLCACHE_INLINE PathVector<T> vector_of(const A& a, Index i, Index j) {
    return vector_at<each>(a(i, j));
  }
  template <class T, class Tile>
  static TALLCACHE_INLINE PathVector<T> vector_of_tile(const Tile& tile, int i, int j) {
    return vector_at<each>(tile[i][j]);
  }
};

}  // namespace tallcache::gpu::gep
