// A narrow panel of a Cholesky decomposition: every block factors the square at the diagonal for itself and
// solves for rows of its own.
#pragma once

#include "common/view.hpp"
#include "gpu/asynchronous_copy.cuh"
#include "gpu/lu/chained_launch.cuh"

namespace tallcache::gpu::cholesky {

inline constexpr int panel_columns = 32, panel_rows = 128;

/// The rows of a panel. In registers they begin with the column of the next step, so that loops stay loops;
/// every few columns one of fewer registers follows.
template <class T>
struct PanelSteps {
  static constexpr int columns = panel_columns, together = 8;
  static constexpr int pitch = columns + 1;  // a column of threads' elements falls into all banks

  T (*lower)[columns];  ///< row j: column j of the square's factor
  T* inverse;           ///< of the square's roots
  int width;

  /// A warp factors the square, whose rows are those of its lanes.
  template <int from>
  __device__ void factor(T (&row)[columns], int lane) {
    if constexpr (from < columns) {
#pragma unroll 1
      for (int j = from; j < from + together; ++j) {
        if (j >= width) return;
        const T root = rsqrt(__shfl_sync(~0u, row[0], j)), own = row[0] * root;
        lower[j][lane] = own;
        if (lane == 0) inverse[j] = root;
        __syncwarp();
        eliminate<columns - from>(row, own, j);
      }
      factor<from + together>(row, lane);
    }
  }

  /// Row `done` of L below the square, from `row` of A.
  template <int from>
  __device__ void solve(T (&row)[columns], T* done) {
    if constexpr (from < columns) {
#pragma unroll 1
      for (int j = from; j < from + together; ++j) {
        if (j >= width) return;
        const T own = row[0] * inverse[j];
        done[j] = own;
        eliminate<columns - from>(row, own, j);
      }
      solve<from + together>(row, done);
    }
  }

 private:
  template <int left>
  __device__ void eliminate(T (&row)[columns], T own, int j) const {
    // Beyond the square's last column are elements of the next row, or behind it: they are not used.
    const T* const of_column = lower[j] + j;
#pragma unroll
    for (int k = 1; k < left; ++k) row[k - 1] = row[k] - own * of_column[k];
  }
};

/// Copies element `at` of `from` to shared memory, or 0 where it does not exist.
template <class T>
__device__ __forceinline__ void copy_or_zero(T* to, const T* from, Index at, bool exists) {
  copy_asynchronously<sizeof(T)>(shared_address(to), from + (exists ? at : 0),
                                 exists ? static_cast<int>(sizeof(T)) : 0);
}

/// Columns [0, width) of the panel `a`, which has `rows` rows and the square on top. The square's factor goes
/// to `corner`, 32 elements a row, as other blocks still read the square; the rows below to `a` and, as
/// columns, to `transposed`.
template <class T>
__global__ void __launch_bounds__(panel_rows)
    factor_panel(T* a, Index ld, int rows, int width, T* corner, T* transposed, Index transposed_ld) {
  using Steps = PanelSteps<T>;
  __shared__ T lower[Steps::columns + 1][Steps::columns], inverse[Steps::columns];
  extern __shared__ __align__(16) std::byte memory[];
  T* const done = reinterpret_cast<T*>(memory);
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int first = width + static_cast<int>(blockIdx.x) * panel_rows;
  let_next_kernel_start();
  wait_for_last_kernel();
  for (int i = warp; i < panel_rows; i += panel_rows / 32)
    copy_or_zero(done + i * Steps::pitch + lane, a, (first + i) * ld + lane,
                 first + i < rows && lane < width);
  commit_copies();
  T row[Steps::columns];
  Steps steps{lower, inverse, width};
  if (warp == 0) {
    // Through shared memory: a row a lane, read as rows.
    T* const square = done + panel_rows * Steps::pitch;
    for (int i = 0; i < Steps::columns; ++i)
      copy_or_zero(square + i * Steps::pitch + lane, a, i * ld + lane, i < width && lane <= i);
    commit_copies();
    wait_for_copies<0>();
    __syncwarp();
#pragma unroll
    for (int j = 0; j < Steps::columns; ++j) row[j] = square[lane * Steps::pitch + j];
    steps.template factor<0>(row, lane);
    if (blockIdx.x == 0)
      for (int j = 0; j < width; ++j)
        if (lane >= j && lane < width) corner[lane * panel_columns + j] = lower[j][lane];
  }
  wait_for_copies<0>();
  __syncthreads();
  T* const own = done + threadIdx.x * Steps::pitch;
#pragma unroll
  for (int j = 0; j < Steps::columns; ++j) row[j] = own[j];
  steps.template solve<0>(row, own);
  if (const int i = first + static_cast<int>(threadIdx.x); i < rows)
    for (int j = 0; j < width; ++j) transposed[j * transposed_ld + i] = own[j];
  __syncthreads();
  for (int i = warp; i < panel_rows; i += panel_rows / 32)
    if (first + i < rows && lane < width) a[(first + i) * ld + lane] = done[i * Steps::pitch + lane];
}

/// The squares' factors to their places: row i of the matrix has its part in row i of `corners`.
template <class T>
__global__ void __launch_bounds__(256) store_corners(MatrixView<T> a, const T* corners) {
  wait_for_last_kernel();
  const int lane = threadIdx.x % 32, n = static_cast<int>(a.rows);
  for (int i = static_cast<int>(blockIdx.x) * 8 + static_cast<int>(threadIdx.x) / 32; i < n;
       i += static_cast<int>(gridDim.x) * 8)
    if (lane <= i % panel_columns) a(i, i / panel_columns * panel_columns + lane) = corners[i * 32 + lane];
}

}  // namespace tallcache::gpu::cholesky
