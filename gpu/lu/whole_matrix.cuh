// The decomposition of matrices that lie whole in the registers and the shared memory of a group of lanes, a
// warp or a block: a thread has a row, and no row moves before the end.
#pragma once

#include "common/view.hpp"
#include "gpu/chunk.hpp"
#include "gpu/lu/chained_launch.cuh"
#include "gpu/lu/panel.cuh"

namespace tallcache::gpu::lu {

/// The most shared memory of a block of compute capability 9.0, in bytes.
inline constexpr Index shared_of_block = 227 * 1024;

/// A row of a matrix in the columns of a panel, in the registers of a thread.
template <class T, int columns>
struct PanelRow {
  static constexpr int vector = Chunk<T>::size;
  using Offer = Proposal<T, columns>;

  int number;             ///< where it lies
  bool active;            ///< it exists and has not been a pivot
  int position = number;  ///< where it would lie now, had the earlier exchanges been made
  T element[columns];

  /// chunk_at(k) has elements k, k + 1, ...; put(k, chunk) takes them.
  template <class From>
  __device__ __forceinline__ void load(const From& chunk_at) {
#pragma unroll
    for (int k = 0; k < columns; k += vector) {
      const Chunk<T> chunk = chunk_at(k);
#pragma unroll
      for (int e = 0; e < vector; ++e) element[k + e] = chunk.at[e];
    }
  }
  template <class To>
  __device__ __forceinline__ void store(const To& put) const {
#pragma unroll
    for (int k = 0; k < columns; k += vector) {
      Chunk<T> chunk;
#pragma unroll
      for (int e = 0; e < vector; ++e) chunk.at[e] = element[k + e];
      put(k, chunk);
    }
  }

  /// The best row of each `group` of lanes is offered as the pivot of column j, from element `first` on.
  template <int group>
  __device__ __forceinline__ void offer(int j, int first, Offer& to) const {
    const Key<T> key = active ? key_of(element[j]) : 0;
    const T factor = factor_of(element[j]);
    if (best_lane<group>(key, position) != static_cast<int>(threadIdx.x) % 32) return;
    to.key = key;
    to.factor = factor;
    to.position = position;
    to.row = number;
    store([&](int k, const Chunk<T>& chunk) {
      if (k + vector > first) vector_at<vector>(to.elements[k]) = chunk;
    });
  }

  /// Column j of the panel is step `step` of the matrix.
  __device__ __forceinline__ void eliminate(const Offer& pivot, int j, int step) {
    const bool is_pivot = pivot.row == number;
    if (position == step) position = pivot.position;
    if (is_pivot) position = step, active = false;
    if (!active) return;
    element[j] = multiplier_of(element[j], pivot.factor, pivot.elements[j]);
#pragma unroll
    for (int k = j + 1; k < columns; ++k) element[k] -= element[j] * pivot.elements[k];
  }
};

/// Subtracts multiplier[k] times the row at(k), for all k, from chunks c, c + step, ... of a row. The loads
/// of `together` chunks are under way at once.
template <int together, class T, int columns, class At>
__device__ __forceinline__ void subtract_rows(T* own, int c, int step, const T (&multiplier)[columns],
                                              const At& at) {
  constexpr int vector = Chunk<T>::size;
  Chunk<T> sum[together];
#pragma unroll
  for (int q = 0; q < together; ++q) sum[q] = vector_at<vector>(own[c + q * step]);
#pragma unroll
  for (int k = 0; k < columns; ++k)
#pragma unroll
    for (int q = 0; q < together; ++q) {
      const Chunk<T> u = vector_at<vector>(at(k)[c + q * step]);
#pragma unroll
      for (int e = 0; e < vector; ++e) sum[q].at[e] -= multiplier[k] * u.at[e];
    }
#pragma unroll
  for (int q = 0; q < together; ++q) vector_at<vector>(own[c + q * step]) = sum[q];
}
/// The same of the chunks from c to `end`.
template <class T, int columns, class At>
__device__ __forceinline__ void subtract_rows_to(T* own, int c, int end, int step,
                                                 const T (&multiplier)[columns], const At& at) {
  constexpr int together = 4;
#pragma unroll 1
  for (; c + (together - 1) * step < end; c += together * step)
    subtract_rows<together>(own, c, step, multiplier, at);
#pragma unroll 1
  for (; c < end; c += step) subtract_rows<1>(own, c, step, multiplier, at);
}

/// The solution x of L x = b in place. Row k of `of_columns` is column k of L, below its diagonal of ones.
template <class T, int columns>
__device__ __forceinline__ void substitute(T (&x)[columns], const T (&of_columns)[columns][columns]) {
  constexpr int vector = Chunk<T>::size;
#pragma unroll
  for (int k = 0; k < columns; ++k)
#pragma unroll
    for (int i = (k + 1) / vector * vector; i < columns; i += vector) {
      const Chunk<T> l = vector_at<vector>(of_columns[k][i]);
#pragma unroll
      for (int e = 0; e < vector; ++e)
        if (i + e > k) x[i + e] -= l.at[e] * x[k];
    }
}

/// Panels of `columns` columns, one after the other; the columns behind them are in shared memory. Where
/// `group` is below 32, a warp has 32 / group matrices, else each of up to `max_warps` warps has rows of one.
template <class T, int panel_columns, int lanes, int warps_of_block>
struct WholeMatrix {
  static constexpr int columns = panel_columns, group = lanes, max_warps = warps_of_block;
  static constexpr int of_warp = 32 / group, max_rows = group * max_warps;
  static constexpr int vector = Chunk<T>::size;
  using Offer = Proposal<T, columns>;
  static_assert(columns % vector == 0 && (group == 32 || max_warps == 1));

  /// What is used of shared memory, of which the columns behind the first panel are `behind`.
  struct Memory {
    Offer offers[2][max_warps * of_warp];
    alignas(16) T triangle[columns][columns];  ///< of the panel: the columns of L at the diagonal
    int from[columns];                         ///< where its rows lie
  };
  /// A row of chunks: eight lanes that have a row each then meet no bank twice.
  static constexpr int pitch(int behind) { return (ceil_div(behind, vector) | 1) * vector; }
  static constexpr std::size_t shared_bytes(int m, int n) {
    if constexpr (max_warps == 1) return sizeof(Memory::offers) + sizeof(T) * of_warp * m * pitch(columns);
    if (n <= columns) return sizeof(Memory::offers);
    return sizeof(Memory) + sizeof(T) * m * pitch(n - columns);
  }
  /// Whether matrices of m x n fit.
  static constexpr bool has_room(Index m, Index n) {
    if (max_warps == 1 || n <= columns) return m <= max_rows && n <= columns;
    return m <= max_rows && n < shared_of_block &&
           shared_bytes(static_cast<int>(m), static_cast<int>(n)) <= shared_of_block;
  }

  /// Factors each of the matrices of m x n that lie one below the other in `a`.
  static void start(cudaStream_t, const MatrixView<T>& a, std::int32_t* exchanges, Index m);

  __device__ WholeMatrix(const MatrixView<T>& matrix, bool is_matrix, bool rows_are_wide, std::byte* memory)
      : a(matrix),
        m(static_cast<int>(matrix.rows)),
        n(static_cast<int>(matrix.cols)),
        wide(rows_are_wide),
        shared(*reinterpret_cast<Memory*>(memory)),
        rest(reinterpret_cast<T*>(memory + (max_warps == 1 ? sizeof(shared.offers) : sizeof(Memory))) +
             static_cast<int>(threadIdx.x) / group % of_warp * m * pitch(columns)),
        rest_pitch(pitch(max_warps == 1 ? columns : n - columns)),
        matrix_exists(is_matrix),
        exists(is_matrix && thread < m),
        row{thread, exists} {}

  __device__ void factor(std::int32_t* exchanges) {
    const int steps = m < n ? m : n;
    if constexpr (max_warps == 1) {
      load_matrix();
      factor_panel(0, steps);
      store_matrix();
    } else {
      factor_panels(steps);
    }
    if (exists && thread < steps) exchanges[thread] = exchange;
  }

 private:
  __device__ __forceinline__ void sync() const {
    if constexpr (max_warps == 1)
      __syncwarp();
    else
      __syncthreads();
  }

  /// The lanes of a group load and store a row of the matrix together: by a row a lane, each of them would
  /// touch another piece of memory.
  __device__ void load_matrix() {
    if (matrix_exists && thread < n)
#pragma unroll 4
      for (int i = 0; i < m; ++i)
        copy_asynchronously<sizeof(T)>(shared_address(rest + i * rest_pitch + thread),
                                       a.data + i * a.ld + thread);
    commit_copies();
    wait_for_copies<0>();
    __syncwarp();
    fetch(0);
  }
  __device__ void store_matrix() {
    if (exists)
      row.store([&](int k, const Chunk<T>& chunk) {
        vector_at<vector>(rest[row.position * rest_pitch + k]) = chunk;
      });
    __syncwarp();
    if (matrix_exists && thread < n)
#pragma unroll 4
      for (int i = 0; i < m; ++i) a.data[i * a.ld + thread] = rest[i * rest_pitch + thread];
  }

  __device__ void factor_panels(int steps) {
    copy_rest();
    load_row();
    PanelRow<T, columns> held = row;  // of the first panel
#pragma unroll 1
    for (int col = 0; col < steps; col += columns) {
      if (col > 0) fetch(col - columns);
      factor_panel(col, steps - col);
      if (col > 0) {
        put_back(col - columns);
      } else {
        held = row;
        wait_for_copies<0>();
      }
      if (col + columns >= n) break;
      solve(col, steps - col);
      if (col + columns < m) subtract(col);
    }
    held.position = row.position;
    store_row(held);
    store_rest();
  }

  __device__ void copy_rest() {
    const int behind = n - columns;
    if (wide) {
      for (int i = warp; i < m; i += warps)
        for (int j = lane * vector; j < behind; j += 32 * vector)
          copy_asynchronously<16>(shared_address(rest + i * rest_pitch + j), a.data + i * a.ld + columns + j,
                                  min(behind - j, vector) * static_cast<int>(sizeof(T)));
    } else {
      for (int i = warp; i < m; i += warps)
        for (int j = lane; j < behind; j += 32)
          copy_asynchronously<sizeof(T)>(shared_address(rest + i * rest_pitch + j),
                                         a.data + i * a.ld + columns + j, static_cast<int>(sizeof(T)));
    }
    commit_copies();
  }

  __device__ void load_row() {
    const T* const from = a.data + thread * a.ld;
    row.load([&](int k) { return exists ? load_chunk<T>(from[k], 0, n - k, wide) : Chunk<T>{}; });
  }
  __device__ __forceinline__ void store_row(const PanelRow<T, columns>& of_panel) {
    if (!exists) return;
    T* const to = a.data + of_panel.position * a.ld;
    of_panel.store([&](int k, const Chunk<T>& chunk) { store_chunk(to[k], 0, n - k, chunk, wide); });
  }

  /// The panel that begins in column `begin` of the rest; what lies behind the matrix is never used.
  __device__ void fetch(int begin) {
    if (!exists) return;
    const T* const from = rest + thread * rest_pitch + begin;
    row.load([&](int k) { return begin + k < rest_pitch ? vector_at<vector>(from[k]) : Chunk<T>{}; });
  }
  __device__ void put_back(int begin) {
    if (!exists) return;
    T* const to = rest + thread * rest_pitch + begin;
    row.store([&](int k, const Chunk<T>& chunk) {
      if (begin + k < rest_pitch) vector_at<vector>(to[k]) = chunk;
    });
  }
  /// A warp stores its rows at the places to which the exchanges bring them.
  __device__ void store_rest() {
    __syncwarp();
    const int behind = n - columns;
    for (int i = 0; i < 32 && warp * 32 + i < m; ++i) {
      T* const to = a.data + __shfl_sync(~0u, row.position, i) * a.ld + columns;
      const T* const from = rest + (warp * 32 + i) * rest_pitch;
      if (wide) {
        for (int j = lane * vector; j < behind; j += 32 * vector)
          store_chunk(to[j], 0, behind - j, vector_at<vector>(from[j]), true);
      } else {
        for (int j = lane; j < behind; j += 32) to[j] = from[j];
      }
    }
  }

  __device__ __forceinline__ void factor_panel(int col, int width) {
#pragma unroll
    for (int j = 0; j < columns; ++j) {
      if (j >= width) break;
      Offer& own = shared.offers[j % 2][group < 32 ? lane / group : warp];
      row.template offer<group>(j, j, own);
      sync();
      const Offer& pivot = max_warps == 1 ? own : best_of_warps(shared.offers[j % 2]);
      if (thread == col + j) exchange = pivot.position;
      row.eliminate(pivot, j, col + j);
    }
  }

  /// Of a few offers, by comparing them in each thread.
  __device__ __forceinline__ const Offer& best_of_warps(const Offer* offers) const {
    Key<T> key = offers[0].key;
    int position = offers[0].position, best = 0;
#pragma unroll
    for (int w = 1; w < max_warps; ++w) {
      if (w >= warps) break;
      const Key<T> other = offers[w].key;
      const int at = offers[w].position;
      if (other > key || (other == key && at < position)) key = other, position = at, best = w;
    }
    return offers[best];
  }

  /// The rows of the panel's pivots in the columns behind it. A thread has a column.
  __device__ void solve(int col, int width) {
    if (const int i = row.position - col; exists && i >= 0 && i < columns && i < width) {
      shared.from[i] = thread * rest_pitch;
#pragma unroll
      for (int k = 0; k < columns; ++k) shared.triangle[k][i] = row.element[k];
    }
    sync();
    for (int c = col + thread; c < n - columns; c += 32 * warps) {
      T x[columns];
#pragma unroll
      for (int i = 0; i < columns; ++i) x[i] = i < width ? rest[shared.from[i] + c] : T{0};
      substitute(x, shared.triangle);
#pragma unroll
      for (int i = 0; i < columns; ++i)
        if (i < width) rest[shared.from[i] + c] = x[i];
    }
    sync();
  }

  /// The products of the panel's multipliers and those rows.
  __device__ void subtract(int col) {
    if (!row.active) return;
    const T* from[columns];
#pragma unroll
    for (int k = 0; k < columns; ++k) from[k] = rest + shared.from[k];
    subtract_rows_to(rest + thread * rest_pitch, col, n - columns, vector, row.element,
                     [&](int k) { return from[k]; });
  }

  MatrixView<T> a;
  int m, n;
  bool wide;
  Memory& shared;
  T* rest;  ///< the columns behind the first panel; all of them, where a warp has matrices whole
  int rest_pitch;
  int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  int warps = static_cast<int>(blockDim.x) / 32, thread = static_cast<int>(threadIdx.x) % max_rows;
  bool matrix_exists, exists;  ///< exists: this thread has a row
  int exchange = 0;            ///< of the step of this thread's number
  PanelRow<T, columns> row;
};

/// Each of the matrices of m x n that lie one below the other in `a`.
template <class Matrix, class T>
__global__ void __launch_bounds__(32 * Matrix::max_warps)
    factor_whole(MatrixView<T> a, std::int32_t* exchanges, Index m, bool wide) {
  extern __shared__ __align__(16) std::byte memory[];
  let_next_kernel_start();
  wait_for_last_kernel();
  const Index number = Index{blockIdx.x} * Matrix::of_warp +
                       (Matrix::of_warp > 1 ? static_cast<int>(threadIdx.x) / Matrix::group : 0);
  const bool exists = number * m < a.rows;
  Matrix(a.block(exists ? number * m : 0, 0, m, a.cols), exists, wide, memory)
      .factor(exchanges + number * min(m, a.cols));
}

template <class T, int panel_columns, int lanes, int warps_of_block>
void WholeMatrix<T, panel_columns, lanes, warps_of_block>::start(cudaStream_t stream, const MatrixView<T>& a,
                                                                 std::int32_t* exchanges, Index m) {
  const int rows = static_cast<int>(m), warps = max_warps == 1 ? 1 : ceil_div(rows, 32);
  launch_chained<factor_whole<WholeMatrix, T>>(stream,
                                               {grid_of(ceil_div<Index>(a.rows / m, of_warp)), 32u * warps,
                                                shared_bytes(rows, static_cast<int>(a.cols))},
                                               a, exchanges, m, rows_are_chunks(a));
}

}  // namespace tallcache::gpu::lu
