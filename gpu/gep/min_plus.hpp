// The product of the semiring of minimum and sum: x = min(x, u v), with the predecessors. u comes transposed,
// so that both factors go to shared memory as they lie.
#pragma once

#include "gpu/gep/path_panels.hpp"

namespace tallcache::gpu::gep {

/// The tiles of x that a product updates. The cross of a range of vertices is their rows and their columns. A
/// grid takes the cross of rows of tiles [begin, end) and columns of tiles [col_begin, col_end), or all tiles
/// where that is empty, but for the cross of what is done.
struct CrossTiling {
  int down, across;        ///< tiles of the matrix
  int begin, end;          ///< in rows of tiles
  int col_begin, col_end;  ///< in columns of tiles
  int done_begin, done_end, done_col_begin, done_col_end;

  Index blocks() const {
    if (begin == end) return Index{down} * across;
    return Index{end - begin} * across + Index{down - (end - begin)} * (col_end - col_begin);
  }

  /// The tile of a block; none where row is -1.
  TALLCACHE_DEVICE Tile tile(int block) const {
    int row, col;
    const int of_rows = (end - begin) * across;
    if (begin == end || block < of_rows) {
      row = begin == end ? block / across : begin + block / across;
      col = block % across;
    } else {
      const int cols = col_end - col_begin;
      row = (block - of_rows) / cols, col = col_begin + (block - of_rows) % cols;
      if (row >= begin) row += end - begin;
    }
    if ((row >= done_begin && row < done_end) || (col >= done_col_begin && col < done_col_end))
      return {-1, -1};
    return {row, col};
  }
};

/// A block of 256 threads has a tile of x of `tile_side` rows; a warp's threads have 4 x 8 parts of a quarter
/// of its rows and a half of its columns. `depth` steps arrive in shared memory at once, three such arrivals
/// have room. With predecessors a thread has at most four columns.
template <class T, bool trees, int tile_side>
struct MinPlusProduct {
  static constexpr int max_threads = 256, min_blocks = tile_side == 128 || trees ? 2 : 3;
  static constexpr int thread_rows = tile_side / 16, thread_cols = trees ? 4 : thread_rows;
  static constexpr int rows = tile_side, cols = 16 * thread_cols, depth = 16, stages = 3;
  static constexpr int u_size = depth * rows, v_size = depth * cols;
  static constexpr int stage_size = u_size + (trees ? 2 : 1) * v_size;  ///< of elements of 4 bytes
  static constexpr std::size_t max_dynamic_shared_bytes = stages * stage_size * sizeof(T);
  static_assert(sizeof(T) == sizeof(std::int32_t));

  /// u, v and q begin with the first step; `steps` is a multiple of `depth`.
  template <class Thread, class A, class P>
  TALLCACHE_DEVICE void operator()(const Thread& t, A a, P p, A u, A v, P q, int steps, CrossTiling tiling,
                                   bool wide) const {
    const Tile tile = tiling.tile(static_cast<int>(t.block().x));
    if (tile.row < 0) return;
    const Index row = tile.row * rows, col = tile.col * cols;
    auto&& memory = dynamic_shared<T>(t);
    const int arrivals = steps / depth;
#pragma unroll
    for (int s = 0; s < stages - 1; ++s) {
      if (s < arrivals) copy(t, memory, s, u, v, q, s * depth, row, col);
      t.commit_copies();
    }
    const int id = t.thread().x, warp = id / 32, lane = id % 32;
    const int y0 = warp / 2 * (rows / 4) + lane / 8 * 4, x0 = warp % 2 * (cols / 2) + lane % 8 * 4;
    T x[thread_rows][thread_cols];
    std::int32_t before[trees ? thread_rows : 1][thread_cols];
    load(x, a, row + y0, col + x0, wide, PathWeight<T>::inner);
    if constexpr (trees) load(before, p, row + y0, col + x0, wide, -1);
    int stage = 0;
#pragma unroll 1
    for (int arrival = 0; arrival < arrivals; ++arrival) {
      wait_for_copies<stages - 2>(t);
      t.sync();
      const int next = arrival + stages - 1;
      if (next < arrivals) copy(t, memory, (stage + stages - 1) % stages, u, v, q, next * depth, row, col);
      t.commit_copies();
      relax_stage(x, before, memory, stage * stage_size, y0, x0);
      stage = stage == stages - 1 ? 0 : stage + 1;
    }
    store(x, a, row + y0, col + x0, wide);
    if constexpr (trees) store(before, p, row + y0, col + x0, wide);
  }

 private:
  /// A thread's row number r lies behind its first, as does its column.
  static TALLCACHE_DEVICE constexpr int row_of(int r) { return r / 4 * 16 + r % 4; }
  static TALLCACHE_DEVICE constexpr int col_of(int c) { return c / 4 * 32 + c % 4; }

  /// A thread's part of a tile; `beyond` where it has none.
  template <class Value, int height, class A>
  static TALLCACHE_INLINE void load(Value (&x)[height][thread_cols], const A& a, Index row, Index col,
                                    bool wide, Value beyond) {
    auto&& first = a(row, col);
    const bool whole =
        wide && row + row_of(thread_rows - 1) < a.rows && col + col_of(thread_cols - 1) < a.cols;
#pragma unroll
    for (int r = 0; r < height; ++r)
#pragma unroll
      for (int c = 0; c < thread_cols; c += 4) {
        PathVector<Value> chunk;
        if (whole)
          chunk = vector_at<4>(element_at(first, row_of(r) * a.ld + col_of(c)));
        else
          chunk = load_path_vector<Value>(a, row + row_of(r), col + col_of(c), wide, beyond);
#pragma unroll
        for (int e = 0; e < 4; ++e) x[r][c + e] = chunk.at[e];
      }
  }

  template <class Value, int height, class A>
  static TALLCACHE_INLINE void store(const Value (&x)[height][thread_cols], const A& a, Index row, Index col,
                                     bool wide) {
    auto&& first = a(row, col);
    const bool whole =
        wide && row + row_of(thread_rows - 1) < a.rows && col + col_of(thread_cols - 1) < a.cols;
#pragma unroll
    for (int r = 0; r < height; ++r)
#pragma unroll
      for (int c = 0; c < thread_cols; c += 4) {
        const PathVector<Value> chunk{{x[r][c], x[r][c + 1], x[r][c + 2], x[r][c + 3]}};
        if (whole)
          vector_at<4>(element_at(first, row_of(r) * a.ld + col_of(c))) = chunk;
        else
          store_path_vector(a, row + row_of(r), col + col_of(c), wide, chunk);
      }
  }

  /// Starts this thread's copies of steps [first, first + depth) to a stage.
  template <class Thread, class Memory, class A, class P>
  static TALLCACHE_INLINE void copy(const Thread& t, const Memory& memory, int stage, const A& u, const A& v,
                                    const P& q, Index first, Index row, Index col) {
    const int id = t.thread().x, at = stage * stage_size;
    copy_rows<rows>(t, memory, at, u, first, row, id);
    copy_rows<cols>(t, memory, at + u_size, v, first, col, id);
    if constexpr (trees) copy_rows<cols>(t, memory, at + u_size + v_size, q, first, col, id);
  }

  template <int width, class Thread, class Memory, class A>
  static TALLCACHE_INLINE void copy_rows(const Thread& t, const Memory& memory, int at, const A& from,
                                         Index i, Index j, int id) {
    constexpr int chunks = width / 4, rows_at_once = max_threads / chunks;
#pragma unroll
    for (int part = 0; part < depth / rows_at_once; ++part) {
      const int l = part * rows_at_once + id / chunks, c = id % chunks * 4;
      copy_asynchronously(t, shared_address(t, memory[at + l * width + c]), vector_at<4>(from(i + l, j + c)),
                          16);
    }
  }

  template <int height, class Memory>
  static TALLCACHE_INLINE void relax_stage(T (&x)[thread_rows][thread_cols],
                                           std::int32_t (&before)[height][thread_cols], const Memory& memory,
                                           int at, int y0, int x0) {
#pragma unroll
    for (int l = 0; l < depth; ++l) {
      T u[thread_rows], v[thread_cols];
      std::int32_t q[thread_cols]{};
#pragma unroll
      for (int r = 0; r < thread_rows; r += 4) {
        const PathVector<T> chunk = vector_at<4>(memory[at + l * rows + y0 + row_of(r)]);
#pragma unroll
        for (int e = 0; e < 4; ++e) u[r + e] = chunk.at[e];
      }
#pragma unroll
      for (int c = 0; c < thread_cols; c += 4) {
        const PathVector<T> chunk = vector_at<4>(memory[at + u_size + l * cols + x0 + col_of(c)]);
#pragma unroll
        for (int e = 0; e < 4; ++e) v[c + e] = chunk.at[e];
        if constexpr (trees) load_vertices(q, memory, at + u_size + v_size + l * cols + x0 + col_of(c), c);
      }
#pragma unroll
      for (int r = 0; r < thread_rows; ++r)
#pragma unroll
        for (int step = 0; step < thread_cols; ++step) {
          const int c = r % 2 ? thread_cols - 1 - step : step;
          relax<trees>(x[r][c], before[trees ? r : 0][c], u[r], v[c], q[c]);
        }
    }
  }

  /// Vertices lie in shared memory as the bits of elements.
  template <class Memory>
  static TALLCACHE_INLINE void load_vertices(std::int32_t (&q)[thread_cols], const Memory& memory, int at,
                                             int c) {
    const PathVector<T> chunk = vector_at<4>(memory[at]);
#pragma unroll
    for (int e = 0; e < 4; ++e) q[c + e] = __builtin_bit_cast(std::int32_t, chunk.at[e]);
  }
};

}  // namespace tallcache::gpu::gep
