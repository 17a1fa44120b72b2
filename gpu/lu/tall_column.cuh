// One column of a matrix with more rows than a cluster holds: a kernel finds the pivot, another divides.
#pragma once

#include "common/view.hpp"
#include "gpu/lu/chained_launch.cuh"
#include "gpu/lu/exchange_list.hpp"
#include "gpu/lu/pivot.cuh"

namespace tallcache::gpu::lu {

/// The best pivot among the rows of a block, and the column's first element.
template <class T>
struct ColumnBest {
  Key<T> key;
  T value, top;
  int row;
};

inline constexpr int column_threads = 256, max_column_blocks = 256;

/// Of the threads' candidates, the best in thread order of `best_lane`; known to the first warp.
template <class T>
__device__ ColumnBest<T> best_of_block(ColumnBest<T> own, ColumnBest<T>* of_warps) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (best_lane(own.key, own.row) == lane) of_warps[warp] = own;
  __syncthreads();
  const bool is_warp = lane < column_threads / 32;
  const int best =
      best_lane(is_warp ? of_warps[lane].key : Key<T>{0}, is_warp ? of_warps[lane].row : 1 << 30);
  return of_warps[best];
}

template <class T>
__global__ void __launch_bounds__(column_threads)
    find_pivot(const T* column, Index ld, int rows, ColumnBest<T>* found) {
  __shared__ ColumnBest<T> of_warps[column_threads / 32];
  let_next_kernel_start();
  wait_for_last_kernel();
  const T top = column[0];
  ColumnBest<T> own{0, 0, top, 1 << 30};
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < rows;
       i += static_cast<int>(gridDim.x * blockDim.x))
    if (const T value = column[i * ld]; key_of(value) > own.key) own = {key_of(value), value, top, i};
  own = best_of_block(own, of_warps);
  if (threadIdx.x == 0) found[blockIdx.x] = own;
}

template <class T>
__global__ void __launch_bounds__(column_threads)
    divide_column(T* column, Index ld, int rows, const ColumnBest<T>* found, int number,
                  std::int32_t* exchange, int first, ExchangeList* list) {
  __shared__ ColumnBest<T> of_warps[column_threads / 32];
  static_assert(max_column_blocks <= column_threads);
  let_next_kernel_start();
  wait_for_last_kernel();
  ColumnBest<T> pivot{0, 0, 0, 1 << 30};
  if (static_cast<int>(threadIdx.x) < number) pivot = found[threadIdx.x];
  pivot = best_of_block(pivot, of_warps);
  const T factor = factor_of(pivot.value);
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < rows;
       i += static_cast<int>(gridDim.x * blockDim.x)) {
    const T value = i == pivot.row ? pivot.top : column[i * ld];
    column[i * ld] = i == 0 ? pivot.value : multiplier_of(value, factor, pivot.value);
  }
  if (blockIdx.x > 0 || threadIdx.x > 0) return;
  *exchange = first + pivot.row;
  list->begin = first;
  list->width = 1;
  list->from[0] = pivot.row;
  list->to[0] = pivot.row > 0 ? pivot.row : -1;
}

}  // namespace tallcache::gpu::lu
