// A tile of B in shared memory, transposed on its way in: squares of chunks in
// registers, and chunks at swizzled places, so that neither columns nor rows
// have bank conflicts.
#pragma once

#include "gpu/chunk.hpp"

namespace tallcache::gpu::transpose {

/// side x side elements of B, for blocks of `threads`. Where rows start at
/// multiples of 16 bytes but not of a sector's 32, `lead` is 1: the tile starts
/// a chunk early in every other row, so that no sector is written by two
/// blocks, and one chunk more is read of each column.
template <class T, int side, int threads, int lead = 0>
struct TransposedTile {
  static constexpr int size = Chunk<T>::size, chunks = side / size;
  static constexpr int all_squares = chunks * (chunks + lead);  ///< of size x size elements
  static constexpr int squares = (all_squares + threads - 1) / threads;

  using Memory = T[side][side];  ///< begins at a multiple of 16 bytes

  /// Where chunk c of row r of the transposed tile lies in its row.
  static TALLCACHE_DEVICE int place(int r, int c) { return (c ^ r / size % chunks) * size; }

  /// A thread's squares of the tile of `a` at (i, j), as rows of chunks.
  struct Squares {
    Chunk<T> part[squares][size];

    template <class Thread, class A>
    TALLCACHE_DEVICE Squares(const Thread& t, const A& a, Index i, Index j) {
      const Index first = i - lead * size;
      const bool is_whole = first >= 0 && i + side <= a.rows && j + side <= a.cols;
#pragma unroll
      for (int s = 0; s < squares; ++s) {
        const int square = s * threads + static_cast<int>(t.thread().x);
        if (all_squares % threads && square >= all_squares) break;
#pragma unroll
        for (int e = 0; e < size; ++e) {
          const Index r = first + square / chunks * size + e, c = j + square % chunks * size;
          if (is_whole)
            part[s][e] = vector_at<size>(a(r, c));
          else if (r >= 0 && r < a.rows)
            part[s][e] = load_chunk<T>(a(r, c), -c, a.cols - c);
          else
            part[s][e] = {};
        }
      }
    }
  };

  /// Stores the transpose of the tile that the block's threads hold in
  /// registers. early(r) is the number of chunks, at most `lead`, by which row
  /// r starts early.
  template <class Thread, class Tile, class Early>
  static TALLCACHE_DEVICE void load_transposed(const Thread& t, Tile&& tile, const Squares& source,
                                               Early early) {
#pragma unroll
    for (int s = 0; s < squares; ++s) {
      const int square = s * threads + static_cast<int>(t.thread().x);
      if (all_squares % threads && square >= all_squares) break;
#pragma unroll
      for (int j = 0; j < size; ++j) {
        const int r = square % chunks * size + j, c = square / chunks - lead + early(r);
        Chunk<T> column;
#pragma unroll
        for (int i = 0; i < size; ++i) column.at[i] = source.part[s][i].at[j];
        if (!lead || (c >= 0 && c < chunks)) vector_at<size>(tile[r][place(r, c)]) = column;
      }
    }
  }

  /// Stores this tile at (i, j) of `b`.
  template <class Thread, class Tile, class B, class Early>
  static TALLCACHE_DEVICE void store(const Thread& t, const Tile& tile, const B& b, Index i, Index j,
                                     Early early) {
    const bool is_whole = j >= lead * size && i + side <= b.rows && j + side <= b.cols;
#pragma unroll
    for (int e = 0; e < (side * chunks + threads - 1) / threads; ++e) {
      const int number = e * threads + static_cast<int>(t.thread().x), r = number / chunks,
                c = number % chunks;
      if (side * chunks % threads && r >= side) break;
      const Index col = j + (c - early(r)) * size;
      if (!is_whole && i + r >= b.rows) continue;
      const Chunk<T> chunk = vector_at<size>(tile[r][place(r, c)]);
      if (is_whole)
        vector_at<size>(b(i + r, col)) = chunk;
      else
        store_chunk(b(i + r, col), -col, b.cols - col, chunk);
    }
  }
};

/// For tiles whose rows do not start early.
struct OnTime {
  TALLCACHE_DEVICE int operator()(int) const { return 0; }
};

}  // namespace tallcache::gpu::transpose
