// A tile of B in shared memory, transposed on its way in: squares of chunks in registers, and chunks at
// swizzled places, so that neither columns nor rows have bank conflicts.
#pragma once

#include "gpu/chunk.hpp"

namespace tallcache::gpu::transpose {

/// side x side elements of B, for blocks of `threads`. Where rows start at multiples of 16 bytes but not of a
/// sector's 32, `lead` is 1: the tile starts a chunk early in every other row, so that no sector is written
/// by two blocks, and one chunk more is read of each column.
template <class T, int side, int threads, int lead = 0>
struct TransposedTile {
  static constexpr int size = Chunk<T>::size, chunks = side / size;
  static constexpr int all_squares = chunks * (chunks + lead);  ///< of size x size elements
  static constexpr int squares = (all_squares + threads - 1) / threads;

  Chunk<T> row[side][chunks];

  /// Chunk c of row r of the transposed tile.
  __device__ Chunk<T>& at(int r, int c) { return row[r][c ^ r / size % chunks]; }

  /// A thread's squares of the tile of `a` at (i, j), as rows of chunks.
  struct Squares {
    Chunk<T> part[squares][size];

    __device__ Squares(const MatrixView<const T>& a, Index i, Index j) {
      const Index first = i - lead * size;
      const bool is_whole = first >= 0 && i + side <= a.rows && j + side <= a.cols;
#pragma unroll
      for (int s = 0; s < squares; ++s) {
        const int square = s * threads + threadIdx.x;
        if (all_squares % threads && square >= all_squares) break;
#pragma unroll
        for (int e = 0; e < size; ++e) {
          const Index r = first + square / chunks * size + e, c = j + square % chunks * size;
          if (is_whole)
            part[s][e] = *reinterpret_cast<const Chunk<T>*>(a.data + r * a.ld + c);
          else if (r >= 0 && r < a.rows)
            part[s][e] = load_chunk<T>(a(r, c), -c, a.cols - c);
          else
            part[s][e] = {};
        }
      }
    }
  };

  /// Stores the transpose of the tile that the block's threads hold in registers. early(r) is the number of
  /// chunks, at most `lead`, by which row r starts early.
  template <class Early>
  __device__ void load_transposed(const Squares& source, Early early) {
#pragma unroll
    for (int s = 0; s < squares; ++s) {
      const int square = s * threads + threadIdx.x;
      if (all_squares % threads && square >= all_squares) break;
#pragma unroll
      for (int j = 0; j < size; ++j) {
        const int r = square % chunks * size + j, c = square / chunks - lead + early(r);
        Chunk<T> column;
#pragma unroll
        for (int i = 0; i < size; ++i) column.at[i] = source.part[s][i].at[j];
        if (!lead || (c >= 0 && c < chunks)) at(r, c) = column;
      }
    }
  }

  /// Stores this tile at (i, j) of `b`.
  template <class Early>
  __device__ void store(const MatrixView<T>& b, Index i, Index j, Early early) {
    const bool is_whole = j >= lead * size && i + side <= b.rows && j + side <= b.cols;
#pragma unroll
    for (int e = 0; e < (side * chunks + threads - 1) / threads; ++e) {
      const int place = e * threads + threadIdx.x, r = place / chunks, c = place % chunks;
      if (side * chunks % threads && r >= side) break;
      const Index col = j + (c - early(r)) * size;
      if (is_whole)
        *reinterpret_cast<Chunk<T>*>(b.data + (i + r) * b.ld + col) = at(r, c);
      else if (i + r < b.rows)
        store_chunk(b(i + r, col), -col, b.cols - col, at(r, c));
    }
  }
};

/// For tiles whose rows do not start early.
struct OnTime {
  __device__ int operator()(int) const { return 0; }
};

}  // namespace tallcache::gpu::transpose
