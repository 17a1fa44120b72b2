// Products of matrices of which C has few rows or columns: each element of the longer factor is used a few
// times, so that it is read once, from global memory, and k is split to have enough threads.
#pragma once

#include <algorithm>

#include "common/ops/matmul.hpp"
#include "gpu/check.hpp"
#include "gpu/kernel_limits.hpp"
#include "gpu/on_gpu.hpp"
#include "gpu/tuning/tuning.hpp"

namespace tallcache::gpu::matmul {

/// The most rows or columns of C that are few.
inline constexpr int thin = 4;
inline constexpr int thin_threads = 128;

/// k in `splits` pieces of `depth`.
struct ThinPlan {
  Index depth, splits;

  /// `workers` do a piece each for all of C; no piece is smaller than `min_depth`.
  static ThinPlan of(Index k, Index workers, Index wanted, Index min_depth) {
    const Index splits = std::clamp<Index>(wanted / std::max<Index>(workers, 1), 1,
                                           std::max<Index>(ceil_div(k, min_depth), 1));
    const Index depth = std::max<Index>(ceil_div(k, splits), 1);
    return {depth, std::max<Index>(ceil_div(k, depth), 1)};
  }
  /// Warps have a row of C, or threads a column.
  static ThinPlan of(const Shape& shape) {
    const Index m = shape["m"], n = shape["n"], k = shape["k"], processors = multiprocessors();
    const Tuning& tuning = device_tuning();
    if (n <= thin) return of(k, m, tuning.thin_warps * processors, 256);
    return of(k, ceil_div<Index>(n, thin_threads), tuning.thin_blocks * processors, 16);
  }
};

__device__ inline float sum_of_warp(float sum) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(~0u, sum, distance);
  return sum;
}

/// A warp for each row of C and piece of k; n <= thin. Piece s of element (i, j) goes to
/// to[s * part + i * ld + j].
__global__ void __launch_bounds__(thin_threads)
    multiply_thin_rows(float* to, Index part, Index ld, MatrixView<const float> a, MatrixView<const float> b,
                       ThinPlan plan) {
  const Index warp = static_cast<Index>(blockIdx.x) * (thin_threads / 32) + threadIdx.x / 32;
  const Index i = warp / plan.splits, split = warp % plan.splits;
  if (i >= a.rows) return;
  const Index end = min((split + 1) * plan.depth, a.cols);
  float sum[thin]{};
  for (Index l = split * plan.depth + threadIdx.x % 32; l < end; l += 32) {
    const float factor = a(i, l);
#pragma unroll
    for (int j = 0; j < thin; ++j)
      if (j < b.cols) sum[j] += factor * b(l, j);
  }
#pragma unroll
  for (int j = 0; j < thin; ++j) {
    const float total = sum_of_warp(sum[j]);
    if (threadIdx.x % 32 == 0 && j < b.cols) to[split * part + i * ld + j] = total;
  }
}

/// A thread for each column of C, blockIdx.y for each piece of k; m <= thin.
__global__ void __launch_bounds__(thin_threads)
    multiply_thin_cols(float* to, Index part, Index ld, MatrixView<const float> a, MatrixView<const float> b,
                       ThinPlan plan) {
  const Index j = static_cast<Index>(blockIdx.x) * thin_threads + threadIdx.x;
  if (j >= b.cols) return;
  const Index split = blockIdx.y, end = min((split + 1) * plan.depth, a.cols);
  float sum[thin]{};
#pragma unroll 8
  for (Index l = split * plan.depth; l < end; ++l) {
    const float factor = b(l, j);
#pragma unroll
    for (int i = 0; i < thin; ++i)
      if (i < a.rows) sum[i] += a(i, l) * factor;
  }
#pragma unroll
  for (int i = 0; i < thin; ++i)
    if (i < a.rows) to[split * part + i * ld + j] = sum[i];
}

/// A warp adds the pieces of an element of C, always in the same order.
__global__ void __launch_bounds__(thin_threads)
    add_thin_parts(MatrixView<float> c, const float* parts, Index splits) {
  const Index element = static_cast<Index>(blockIdx.x) * (thin_threads / 32) + threadIdx.x / 32;
  const Index part = c.rows * c.cols;
  if (element >= part) return;
  float sum = 0;
  for (Index split = threadIdx.x % 32; split < splits; split += 32) sum += parts[split * part + element];
  sum = sum_of_warp(sum);
  if (threadIdx.x % 32 == 0) c(element / c.cols, element % c.cols) = sum;
}

/// The floats of scratch for a thin product.
inline Index thin_parts(const Shape& shape) {
  const ThinPlan plan = ThinPlan::of(shape);
  return plan.splits == 1 ? 0 : plan.splits * shape["m"] * shape["n"];
}

/// C = A B, m <= thin or n <= thin. `parts` has thin_parts() elements.
inline void multiply_thin(const Launch& launch, const MatrixView<float>& c, const MatrixView<const float>& a,
                          const MatrixView<const float>& b, float* parts) {
  const ThinPlan plan = ThinPlan::of({{"m", c.rows}, {"n", c.cols}, {"k", a.cols}});
  const bool split = plan.splits > 1;
  float* const to = split ? parts : c.data;
  const Index part = split ? c.rows * c.cols : 0, ld = split ? c.cols : c.ld;
  constexpr Index warps = thin_threads / 32;
  if (c.cols <= thin)
    multiply_thin_rows<<<grid_of(ceil_div(c.rows * plan.splits, warps)), thin_threads, 0,
                         stream_of(launch)>>>(to, part, ld, a, b, plan);
  else
    multiply_thin_cols<<<dim3(grid_of(ceil_div<Index>(c.cols, thin_threads)),
                              static_cast<unsigned>(plan.splits)),
                         thin_threads, 0, stream_of(launch)>>>(to, part, ld, a, b, plan);
  check_launch();
  if (!split) return;
  add_thin_parts<<<grid_of(ceil_div(c.rows * c.cols, warps)), thin_threads, 0, stream_of(launch)>>>(
      c, parts, plan.splits);
  check_launch();
}

}  // namespace tallcache::gpu::matmul
