// The product of one block: a tile of C in registers, tiles of A and B that arrive in shared memory beside
// the arithmetic.
#pragma once

#include <cstdint>

#include "common/view.hpp"
#include "gpu/chunk.hpp"
#include "gpu/on_gpu.hpp"

namespace tallcache::gpu::matmul {

/// The tiles of C of a block and of a warp, in elements. `depth` steps along k arrive at once; `stages` such
/// arrivals have room in shared memory. Where `slices` > 1, that many warps have the same tile of C, and
/// equal parts of the steps of each arrival.
template <int block_rows, int block_cols, int block_depth, int rows_of_warp, int cols_of_warp,
          int number_of_stages, int min_blocks_of_sm, int slices_of_depth = 1>
struct BlockShape {
  static constexpr int rows = block_rows, cols = block_cols, depth = block_depth;
  static constexpr int warp_rows = rows_of_warp, warp_cols = cols_of_warp, stages = number_of_stages;
  static constexpr int slices = slices_of_depth, slice_depth = depth / slices;
  static constexpr int slice_threads = rows / warp_rows * (cols / warp_cols) * 32;
  static constexpr int threads = slices * slice_threads;
  static constexpr int min_blocks = min_blocks_of_sm;
};

/// For figures of a product that are the same in every context.
struct NoThread {};

/// A thread's part of the product. Where `wide_b`, rows of B start at multiples of 16 bytes. `Memory` is the
/// block's shared memory as `Thread` shows it.
template <class T, class Tiles, bool wide_b, class Thread = NoThread, class Access = Plain, class Memory = T*>
class BlockProduct {
 public:
  // A warp's threads have 4 x 8 parts of its tile.
  static constexpr int lane_rows = 4, lane_cols = 8;
  static constexpr int thread_rows = Tiles::warp_rows / lane_rows, thread_cols = Tiles::warp_cols / lane_cols;
  // A is transposed on its way: four elements more a row, and the copies of a warp go to 32 banks.
  static constexpr int a_pitch = Tiles::rows + 4;
  static constexpr int a_size = Tiles::depth * a_pitch, stage_size = a_size + Tiles::depth * Tiles::cols;
  static constexpr int shared_bytes = Tiles::stages * stage_size * sizeof(T);

  using Matrix = MatrixView<const T, Access>;

  /// The block's tile has first element (row, col) of C. `memory` has shared_bytes.
  TALLCACHE_DEVICE BlockProduct(const Thread& of_block, const Memory& memory, const Matrix& a,
                                const Matrix& b, Index row, Index col)
      : t(of_block), shared(memory), b_ld(b.ld) {
    const int tid = id(), warp = tid % Tiles::slice_threads / 32, lane = tid % 32;
    constexpr int warps_across = Tiles::cols / Tiles::warp_cols;
    slice = Tiles::slices > 1 ? tid / Tiles::slice_threads : 0;
    tile_row = warp / warps_across * Tiles::warp_rows + lane / lane_cols * row_vector;
    tile_col = warp % warps_across * Tiles::warp_cols + lane % lane_cols * col_vector;

    // Rows and columns beyond C's edges are read from the last one: their sums are not stored.
#pragma unroll
    for (int r = 0; r < a_row_copies; ++r) {
      const Index i = row + tid / a_lanes + r * a_rows_at_once;
      a_from[r] = line(a, i < a.rows ? i : a.rows - 1, tid % a_lanes);
    }
    a_to = shared_address(t, shared[tid % a_lanes * a_pitch + tid / a_lanes]);
    const Index j = col + tid % b_lanes * b_width;
    const Index left = b.cols - j;
    b_bytes = static_cast<int>(left < b_width ? left : b_width) * static_cast<int>(sizeof(T));
    if (left <= 0) b_bytes = 0;
    b_from = line(b, tid / b_lanes, left > 0 ? j : 0);
    b_to = shared_address(t, shared[a_size + tid / b_lanes * Tiles::cols + tid % b_lanes * b_width]);
  }

  /// Sets the sums to the products of columns [first, last) of A and rows [first, last) of B.
  TALLCACHE_DEVICE void multiply(Index first, Index last) {
    for (auto& row : sum)
      for (T& element : row) element = T{};
    const int steps = static_cast<int>((last - first + Tiles::depth - 1) / Tiles::depth);
#pragma unroll
    for (int r = 0; r < a_row_copies; ++r) a_from[r].data += first;
    b_from.data += first * b_ld;
    t.sync();  // the tile before this one is done
    // The first arrival is the incomplete one: no other has to be tested.
    if (steps > 0) copy_first(static_cast<int>((last - first - 1) % Tiles::depth) + 1);
    t.commit_copies();
#pragma unroll
    for (int s = 1; s < Tiles::stages - 1; ++s) {
      const Arrival next = arrival(s * stage_size, s < steps);
#pragma unroll
      for (int part = 0; part < copies; ++part) copy(next, part);
      t.commit_copies();
    }
    wait_for_stage();
    load(0, 0);
    int at = 0, free_at = (Tiles::stages - 1) * stage_size;  // elements behind the first stage
#pragma unroll 1
    for (int step = 0; step < steps; ++step) {
      const int next_at = at == (Tiles::stages - 1) * stage_size ? 0 : at + stage_size;
      multiply_stage(at, next_at, arrival(free_at, step + Tiles::stages - 1 < steps));
      free_at = at;
      at = next_at;
    }
    if constexpr (Tiles::slices > 1) add_slices();
  }

  /// Stores the sums that lie in `to`, whose first element is the tile's. Where `wide`, its rows start at
  /// multiples of 16 bytes.
  TALLCACHE_DEVICE void store(const MatrixView<T, Access>& to, bool wide) const {
    if (Tiles::slices > 1 && slice > 0) return;
    const int rows_left = static_cast<int>(to.rows < Tiles::rows ? to.rows : Tiles::rows) - tile_row;
    const int cols_left = static_cast<int>(to.cols < Tiles::cols ? to.cols : Tiles::cols) - tile_col;
    auto&& first = to(tile_row, tile_col);
#pragma unroll
    for (int i = 0; i < thread_rows; ++i) {
      if (row_of(i) >= rows_left) continue;
#pragma unroll
      for (int j = 0; j < thread_cols; j += col_vector) {
        Vector<T, col_vector> chunk;
#pragma unroll
        for (int e = 0; e < col_vector; ++e) chunk.at[e] = sum[i][j + e];
        store_chunk(element_at(first, row_of(i) * to.ld + col_of(j)), 0, cols_left - col_of(j), chunk, wide);
      }
    }
  }

 private:
  static constexpr int smaller(int x, int y) { return x < y ? x : y; }
  static constexpr int vector = 16 / sizeof(T);
  static constexpr int row_vector = smaller(vector, thread_rows), col_vector = smaller(vector, thread_cols);
  // A warp copies 4 rows of 8 elements of A, whole sectors of 32 bytes in float.
  static constexpr int a_lanes = 8, a_rows_at_once = Tiles::threads / a_lanes;
  static constexpr int a_row_copies = Tiles::rows / a_rows_at_once, a_col_copies = Tiles::depth / a_lanes;
  static constexpr int a_copies = a_row_copies * a_col_copies;
  static constexpr int b_width = wide_b ? vector : 1;
  static constexpr int b_lanes = Tiles::cols / b_width, b_rows_at_once = Tiles::threads / b_lanes;
  static constexpr int b_copies = Tiles::depth / b_rows_at_once, copies = a_copies + b_copies;
  static_assert(Tiles::rows % a_rows_at_once == 0 && Tiles::depth % a_lanes == 0);
  static_assert(Tiles::threads % b_lanes == 0 && Tiles::depth % b_rows_at_once == 0);
  static_assert(Tiles::slice_depth % 8 == 0 && Tiles::depth % Tiles::slices == 0 && Tiles::stages >= 2);
  static_assert(Tiles::slices == 1 ||
                (Tiles::slices - 1) * Tiles::rows * Tiles::cols <= Tiles::stages * stage_size);

  using Line = VectorView<const T, Access>;

  TALLCACHE_INLINE int id() const { return static_cast<int>(t.thread().x); }
  /// A row of a matrix from element (i, j) on.
  static TALLCACHE_INLINE Line line(const Matrix& from, Index i, Index j) {
    return VectorView<const T>{from.data + i * from.ld + j, 0}.with(from.access());
  }

  /// Where a thread's elements lie in its warp's tile, behind its first.
  static TALLCACHE_DEVICE constexpr int row_of(int i) {
    return i / row_vector * lane_rows * row_vector + i % row_vector;
  }
  static TALLCACHE_DEVICE constexpr int col_of(int j) {
    return j / col_vector * lane_cols * col_vector + j % col_vector;
  }

  static constexpr int a_offset(int part) {  ///< bytes in shared memory
    return (part % a_col_copies * a_lanes * a_pitch + part / a_col_copies * a_rows_at_once) * sizeof(T);
  }
  static constexpr int b_offset(int part) { return part * b_rows_at_once * Tiles::cols * sizeof(T); }

  /// Copies the first `count` columns of A and rows of B to the first stage, and zeros behind them.
  TALLCACHE_INLINE void copy_first(int count) {
    const int tid = id();
#pragma unroll
    for (int part = 0; part < a_copies; ++part) {
      const int l = part % a_col_copies * a_lanes;
      copy_asynchronously(t, a_to + a_offset(part), a_from[part / a_col_copies][l],
                          tid % a_lanes + l < count ? int{sizeof(T)} : 0);
    }
#pragma unroll
    for (int part = 0; part < b_copies; ++part) {
      const int l = part * b_rows_at_once;
      copy_asynchronously(t, b_to + b_offset(part), vector_at<b_width>(b_from[l * b_ld]),
                          tid / b_lanes + l < count ? b_bytes : 0);
    }
#pragma unroll
    for (int r = 0; r < a_row_copies; ++r) a_from[r].data += count;
    b_from.data += count * b_ld;
  }

  /// Where this thread's copies of an arrival go, and the bytes of each: none when there is no arrival, as a
  /// condition on each copy costs more instructions.
  struct Arrival {
    std::uint32_t a_to, b_to;
    int a_bytes, b_bytes;
  };
  TALLCACHE_INLINE Arrival arrival(int at, bool any) const {
    const std::uint32_t behind = at * static_cast<std::uint32_t>(sizeof(T));
    Arrival next{a_to + behind, b_to + behind, any ? static_cast<int>(sizeof(T)) : 0, any ? b_bytes : 0};
    // Kept in registers: the compiler would compute them again for every copy.
    t.keep(next.a_to, next.b_to, next.a_bytes, next.b_bytes);
    return next;
  }

  /// Copy number `part` of this thread.
  TALLCACHE_INLINE void copy(const Arrival& next, int part) {
    if (part < a_copies) {
      const int r = part / a_col_copies, l = part % a_col_copies * a_lanes;
      copy_asynchronously(t, next.a_to + a_offset(part), a_from[r][l], next.a_bytes);
      if (part % a_col_copies == a_col_copies - 1) a_from[r].data += Tiles::depth;
    } else {
      copy_asynchronously(t, next.b_to + b_offset(part - a_copies), vector_at<b_width>(b_from[0]),
                          next.b_bytes);
      b_from.data += b_rows_at_once * b_ld;
    }
  }

  /// Behind it the next stage's copies have arrived for all threads, and the stage before this one is free.
  TALLCACHE_INLINE void wait_for_stage() const {
    wait_for_copies<(Tiles::stages - 2)>(t);  // in parentheses for clang++ 14
    t.sync();
  }

  /// The steps of the stage at `at`, and beside them the copies of an arrival, in four groups. The last step
  /// loads the first factors of the next stage.
  TALLCACHE_INLINE void multiply_stage(int at, int next_at, const Arrival& next) {
#pragma unroll
    for (int l = 0; l < Tiles::slice_depth; ++l) {
      const bool is_last = l == Tiles::slice_depth - 1;
      if (is_last) wait_for_stage();
      load((l + 1) % 2, is_last ? next_at : at, is_last ? 0 : l + 1);
#pragma unroll
      for (int part = 0; part < copies; ++part)
        if (l == part * 4 / copies * (Tiles::slice_depth / 4)) copy(next, part);
      if (l == Tiles::slice_depth - 2) t.commit_copies();
      multiply_step(l % 2);
    }
  }

  /// Step `l` of the stage at element `stage`, from shared memory to the registers of `side`.
  TALLCACHE_INLINE void load(int side, int stage, int l = 0) {
    auto&& a_at = shared[stage + (slice * Tiles::slice_depth + l) * a_pitch + tile_row];
    auto&& b_at = shared[stage + a_size + (slice * Tiles::slice_depth + l) * Tiles::cols + tile_col];
#pragma unroll
    for (int i = 0; i < thread_rows; i += row_vector) {
      const Vector<T, row_vector> chunk = vector_at<row_vector>(element_at(a_at, row_of(i)));
#pragma unroll
      for (int e = 0; e < row_vector; ++e) a_part[side][i + e] = chunk.at[e];
    }
#pragma unroll
    for (int j = 0; j < thread_cols; j += col_vector) {
      const Vector<T, col_vector> chunk = vector_at<col_vector>(element_at(b_at, col_of(j)));
#pragma unroll
      for (int e = 0; e < col_vector; ++e) b_part[side][j + e] = chunk.at[e];
    }
  }

  /// Row by row, every second one backwards: neighbouring products share a factor, so that the banks of the
  /// registers are read less.
  TALLCACHE_INLINE void multiply_step(int side) {
#pragma unroll
    for (int i = 0; i < thread_rows; ++i)
#pragma unroll
      for (int step = 0; step < thread_cols; ++step) {
        const int j = i % 2 ? thread_cols - 1 - step : step;
        sum[i][j] += a_part[side][i] * b_part[side][j];
      }
  }

  /// The first slice's sums become those of all slices, in the order of the slices.
  TALLCACHE_DEVICE void add_slices() {
    wait_for_copies<0>(t);
    t.sync();
    const int own = id() % Tiles::slice_threads;
    const auto place = [&](int from, int i, int j) {
      return ((from - 1) * thread_rows * thread_cols + i * thread_cols + j) * Tiles::slice_threads + own;
    };
    if (slice > 0)
#pragma unroll
      for (int i = 0; i < thread_rows; ++i)
#pragma unroll
        for (int j = 0; j < thread_cols; ++j) shared[place(slice, i, j)] = sum[i][j];
    t.sync();
    if (slice > 0) return;
#pragma unroll
    for (int from = 1; from < Tiles::slices; ++from)
#pragma unroll
      for (int i = 0; i < thread_rows; ++i)
#pragma unroll
        for (int j = 0; j < thread_cols; ++j) sum[i][j] += shared[place(from, i, j)];
  }

  Thread t;
  Memory shared;
  Index b_ld;
  int slice, tile_row, tile_col, b_bytes;
  std::uint32_t a_to, b_to;
  Line a_from[a_row_copies], b_from;  ///< what this thread copies next
  T a_part[2][thread_rows], b_part[2][thread_cols];
  T sum[thread_rows][thread_cols];
};

/// The product of t's block, whose tile has first element (row, col) of C.
template <class Tiles, bool wide_b, class Thread, class T, class Access>
TALLCACHE_INLINE auto block_product(const Thread& t, const MatrixView<const T, Access>& a,
                                    const MatrixView<const T, Access>& b, Index row, Index col) {
  const auto memory = dynamic_shared<T>(t);
  return BlockProduct<T, Tiles, wide_b, Thread, Access, std::remove_const_t<decltype(memory)>>(t, memory, a,
                                                                                               b, row, col);
}

}  // namespace tallcache::gpu::matmul
