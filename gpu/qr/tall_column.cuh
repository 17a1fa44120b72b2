// One column of a matrix with more rows than a cluster holds: a kernel sums its squares, another makes the
// reflector.
#pragma once

#include "gpu/dependent_launch.cuh"
#include "gpu/qr/panel.cuh"

namespace tallcache::gpu::qr {

inline constexpr int column_threads = 256, max_column_blocks = 256;

/// Of the rows of a block: their largest exponent's bits, and the sum of squares in that scale, without the
/// column's first element, which stands beside it.
template <class T>
struct ColumnSum {
  int exponent;
  T squares, top;
};

/// The same in all threads: `combine` is associative and commutative but for rounding.
template <class Number, class Combine>
__device__ Number over_block(Number own, const Combine& combine) {
  __shared__ Number all[column_threads];
  all[threadIdx.x] = own;
  for (unsigned half = column_threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) all[threadIdx.x] = combine(all[threadIdx.x], all[threadIdx.x + half]);
  }
  __syncthreads();
  const Number result = all[0];
  __syncthreads();
  return result;
}
__device__ inline int largest_of_block(int own) {
  return over_block(own, [](int x, int y) { return max(x, y); });
}
template <class T>
__device__ T sum_of_block(T own) {
  return over_block(own, [](T x, T y) { return x + y; });
}

template <class T>
__global__ void __launch_bounds__(column_threads)
    sum_column(const T* column, Index ld, int rows, ColumnSum<T>* sums) {
  let_next_kernel_start();
  wait_for_last_kernel();
  const int begin = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int step = static_cast<int>(gridDim.x * blockDim.x);
  int largest = 0;
  for (int i = begin; i < rows; i += step) largest = max(largest, exponent_of(column[i * ld]));
  largest = largest_of_block(largest);
  const T factor = power_of_two<T>(-largest_shift<T>(largest));
  T sum = 0;
  for (int i = begin; i < rows; i += step)
    if (const T x = column[i * ld] * factor; i > 0) sum += x * x;
  sum = sum_of_block(sum);
  if (threadIdx.x == 0) sums[blockIdx.x] = {largest, sum, column[0]};
}

/// The first column of `to`, which has `rows` rows. `sums` has one of each block of as many.
template <class T>
__global__ void __launch_bounds__(column_threads)
    reflect_column(PanelTo<T> to, int rows, const ColumnSum<T>* sums) {
  static_assert(max_column_blocks <= column_threads);
  let_next_kernel_start();
  wait_for_last_kernel();
  const bool has_sum = threadIdx.x < gridDim.x;
  const ColumnSum<T> own = has_sum ? sums[threadIdx.x] : ColumnSum<T>{};
  const int shift = largest_shift<T>(largest_of_block(own.exponent));
  // A sum in a much smaller scale is nothing in this one.
  constexpr int least = std::numeric_limits<T>::min_exponent;
  const int apart = min(0, max(2 * (largest_shift<T>(own.exponent) - shift), least));
  const T sum = sum_of_block(has_sum ? own.squares * power_of_two<T>(apart) : T{0});
  const T factor = power_of_two<T>(-shift);
  const Reflector<T> h = reflector_of(sums->top * factor, sum);
  const int begin = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int step = static_cast<int>(gridDim.x * blockDim.x);
  for (int i = begin; i < rows; i += step) {
    const T v = i == 0 ? T{1} : to.a[i * to.ld] * factor * h.factor;
    to.a[i * to.ld] = i == 0 ? h.beta * power_of_two<T>(shift) : v;
    to.v[i * to.v_ld] = v;
    to.y[i] = h.tau * v;
  }
  for (int i = begin; i < to.above; i += step) to.v[(i - to.above) * to.v_ld] = to.y[i - to.above] = 0;
  if (begin == 0) *to.tau = h.tau;
}

}  // namespace tallcache::gpu::qr
