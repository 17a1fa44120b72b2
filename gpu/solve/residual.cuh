// Beside the triangles of a refined solution: norms, the residual in double, and what goes to the factors and
// comes from them. Vectors are columns `stride` apart, whose rows from n on are zero.
#pragma once

#include <cstdint>

#include "common/view.hpp"
#include "gpu/launch.cuh"

namespace tallcache::gpu::solve {

/// A magnitude's bits: unsigned numbers of the same order, in which a NaN is above all.
__device__ inline unsigned long long bits_of_magnitude(double x) {
  return static_cast<unsigned long long>(__double_as_longlong(fabs(x)));
}
__device__ inline double power_of_two(int exponent) {
  return __longlong_as_double(static_cast<long long>(exponent + 1023) << 52);
}
/// A power of two that brings a magnitude to [1, 2) or near it; 1 for what is 0 or not finite.
__device__ inline double scale_of(unsigned long long magnitude) {
  const int exponent = static_cast<int>(magnitude >> 52);
  if (magnitude == 0 || exponent == 2047) return 1;
  return power_of_two(exponent < 2046 ? 1023 - exponent : -1022);
}

/// The largest values of all threads of the grid, in `to`.
template <int values>
__device__ void largest_of_grid(const unsigned long long (&own)[values], unsigned long long* to) {
  __shared__ unsigned long long of_block[values];
  if (threadIdx.x < values) of_block[threadIdx.x] = 0;
  __syncthreads();
#pragma unroll
  for (int v = 0; v < values; ++v)
    if (own[v] > 0) atomicMax(&of_block[v], own[v]);
  __syncthreads();
  if (threadIdx.x < values && of_block[threadIdx.x] > 0) atomicMax(to + threadIdx.x, of_block[threadIdx.x]);
}

inline constexpr int row_threads = 256, row_warps = row_threads / 32;

/// norms: the infinity norm of A, and its largest element. A warp has rows in turn.
static __global__ void __launch_bounds__(row_threads)
    measure_matrix(MatrixView<const double> a, unsigned long long* norms) {
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  unsigned long long largest[2]{};
  for (Index i = static_cast<Index>(blockIdx.x) * row_warps + warp; i < a.rows; i += gridDim.x * row_warps) {
    double sum = 0;
#pragma unroll 8
    for (Index j = lane; j < a.cols; j += 32) {
      const double element = fabs(a(i, j));
      sum += element;
      largest[1] = max(largest[1], bits_of_magnitude(element));
    }
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(~0u, sum, distance);
    largest[0] = max(largest[0], bits_of_magnitude(sum));
  }
  largest_of_grid(largest, norms);
}

/// to = A, scaled to elements near 1 where T is float; zero columns behind it.
template <class T>
__global__ void __launch_bounds__(row_threads)
    copy_scaled(MatrixView<T> to, MatrixView<const double> a, const unsigned long long* norms) {
  const double scale = sizeof(T) == 4 ? scale_of(norms[1]) : 1;
  const Index i = blockIdx.x;
  for (Index j = threadIdx.x; j < to.ld; j += row_threads)
    to.data[i * to.ld + j] = j < a.cols ? static_cast<T>(a(i, j) * scale) : T{0};
}

/// The right-hand side of the factors: the rows of the residual in the order of the pivots, scaled to a
/// largest element near 1.
template <class T>
__global__ void __launch_bounds__(row_threads)
    permute_residual(T* to, const double* residual, Index stride, Index n, const std::int32_t* order,
                     const unsigned long long* norms) {
  const Index i = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * stride;
  if (i >= stride) return;
  const double scale = sizeof(T) == 4 ? scale_of(norms[blockIdx.y]) : 1;
  to[column + i] = i < n ? static_cast<T>(residual[column + order[i]] * scale) : T{0};
}

/// x += the correction, where `first` x = the correction, without the scales of the matrix and the residual.
/// norms: of the columns of x; those of the residual, which the next one makes, become 0.
template <class T>
__global__ void __launch_bounds__(row_threads)
    add_correction(double* x, const T* correction, Index stride, Index n, const unsigned long long* of_matrix,
                   const unsigned long long* of_residual, unsigned long long* norms, bool first) {
  const Index i = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * stride;
  unsigned long long largest[1]{};
  if (i < stride) {
    double element = 0;
    if (i < n) {
      element = correction[column + i];
      if (sizeof(T) == 4) {
        // One after the other: their quotient may overflow where the element does not.
        element *= scale_of(of_matrix[1]);
        element /= scale_of(of_residual[blockIdx.y]);
      }
      if (!first) element += x[column + i];
    }
    x[column + i] = element;
    largest[0] = bits_of_magnitude(element);
  }
  largest_of_grid(largest, norms + blockIdx.y);
}

/// residual = B - A X for `columns` columns, and its norms. A warp has `rows` rows. Where X is null, it is 0.
template <int columns, int rows>
__global__ void __launch_bounds__(row_threads)
    subtract_from_right(double* residual, MatrixView<const double> a, MatrixView<const double> b,
                        const double* x, Index stride, unsigned long long* norms) {
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const Index first = (static_cast<Index>(blockIdx.x) * row_warps + warp) * rows,
              column = static_cast<Index>(blockIdx.y) * columns;
  unsigned long long largest[columns]{};
  double sum[rows][columns]{};
  const double* row[rows];
#pragma unroll
  for (int r = 0; r < rows; ++r) row[r] = a.data + (first + r < a.rows ? first + r : a.rows - 1) * a.ld;
  if (x)
#pragma unroll 4
    for (Index j = lane; j < a.cols; j += 32) {
      double known[columns];
#pragma unroll
      for (int c = 0; c < columns; ++c) known[c] = x[(column + c) * stride + j];
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        const double element = row[r][j];
#pragma unroll
        for (int c = 0; c < columns; ++c) sum[r][c] += element * known[c];
      }
    }
#pragma unroll
  for (int r = 0; r < rows; ++r)
#pragma unroll
    for (int c = 0; c < columns; ++c) {
#pragma unroll
      for (int distance = 16; distance > 0; distance /= 2)
        sum[r][c] += __shfl_xor_sync(~0u, sum[r][c], distance);
      if (first + r >= a.rows) continue;
      const double right = column + c < b.cols ? b(first + r, column + c) : 0;
      const double left = x ? right - sum[r][c] : right;
      if (lane == 0) residual[(column + c) * stride + first + r] = left;
      largest[c] = max(largest[c], bits_of_magnitude(left));
    }
  largest_of_grid(largest, norms + column);
}

/// The rows of X, from columns `stride` apart.
static __global__ void __launch_bounds__(row_threads)
    copy_solution(MatrixView<double> to, const double* x, Index stride) {
  const Index i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < to.rows) to(i, blockIdx.y) = x[blockIdx.y * stride + i];
}

}  // namespace tallcache::gpu::solve
