// Beside a panel: its exchanges, and the triangular system of its rows, on strips of columns. A block has a
// strip alone, so that no other reads what it moves.
#pragma once

#include "common/view.hpp"
#include "gpu/lu/chained_launch.cuh"
#include "gpu/lu/exchange_list.hpp"
#include "gpu/lu/strip_bytes.hpp"

namespace tallcache::gpu::lu {

/// Columns [begin, end) of the matrix, to which the exchanges of lists [first_list, end_list) are applied.
/// Then L X = B is solved, where L is the unit lower triangle of `width` rows that begins at (triangle,
/// triangle), and B those rows of the columns; none where the width is 0.
struct StripGroup {
  int begin = 0, end = 0, first_list = 0, end_list = 0;
  int triangle = 0, width = 0;
};
/// Columns of no group are in the triangle of another.
struct StripGroups {
  StripGroup at[2];
};

template <class T>
class StripKernel {
 public:
  __device__ StripKernel(T* matrix, Index row_size, int column, bool is_column, T* memory)
      : a(matrix), ld(row_size), col(column), inside(is_column), x(memory) {}

  /// All rows are read before the first is written.
  __device__ void exchange(const ExchangeList& list) {
    constexpr int rows = ExchangeList::max_width / strip_warps;
    T pulled[rows], top[rows];
    int to[rows];
    const int width = list.width;
    T* const first = a + list.begin * ld + col;
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      const int i = warp + r * strip_warps;
      to[r] = i < width ? list.to[i] : -1;
      if (i >= width || !inside) continue;
      pulled[r] = first[list.from[i] * ld];
      top[r] = first[i * ld];
    }
    __syncthreads();
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      const int i = warp + r * strip_warps;
      if (i >= width || !inside) continue;
      first[i * ld] = pulled[r];
      if (to[r] >= 0) first[to[r] * ld] = top[r];
    }
    __syncthreads();
  }

  __device__ void solve(int triangle, int width) {
    const T* const l = a + triangle * ld + triangle;
    T* const b = a + triangle * ld + col;
    T* const below = x + (width + 31) / 32 * 32 * strip;  // a block of columns of L
    for (int i = warp; i < width; i += strip_warps)
      copy_asynchronously<sizeof(T)>(shared_address(x + i * strip + lane), inside ? b + i * ld : l,
                                     inside ? static_cast<int>(sizeof(T)) : 0);
    for (int k = 0; k < width; k += 32) {
      const int count = width - k < 32 ? width - k : 32;
      for (int i = k + warp; i < width; i += strip_warps)
        copy_asynchronously<sizeof(T)>(shared_address(below + (i - k) * pitch + lane),
                                       l + (lane < count ? i * ld + k + lane : 0),
                                       lane < count ? static_cast<int>(sizeof(T)) : 0);
      commit_copies();
      wait_for_copies<0>();
      __syncthreads();
      substitute(x + k * strip, below, count);
      __syncthreads();
      subtract(x + k * strip, below, count, width - k);
      __syncthreads();
    }
    if (inside)
      for (int i = warp; i < width; i += strip_warps) b[i * ld] = x[i * strip + lane];
  }

 private:
  static_assert(strip == 4 * strip_warps);
  static constexpr int pitch = triangle_pitch;

  /// A warp has 4 columns. Lane 4 g + c has rows g, g + 8, ... of column c.
  __device__ void substitute(T* rows, const T* l, int count) {
    constexpr int groups = 8, of_lane = 32 / groups;
    const int g = lane / 4, column = warp * 4 + lane % 4;
    T left[of_lane];
#pragma unroll
    for (int q = 0; q < of_lane; ++q)
      left[q] = g + q * groups < count ? rows[(g + q * groups) * strip + column] : T{0};
#pragma unroll
    for (int k = 0; k < 32; ++k) {
      const T known = __shfl_sync(~0u, left[k / groups], k % groups * 4 + lane % 4);
#pragma unroll
      for (int q = k / groups; q < of_lane; ++q) {
        // Zeros in place of a condition would turn what is no number in rows below to NaN in those above.
        if (const int i = g + q * groups; i > k && i < count) left[q] -= l[i * pitch + k] * known;
      }
    }
#pragma unroll
    for (int q = 0; q < of_lane; ++q)
      if (g + q * groups < count) rows[(g + q * groups) * strip + column] = left[q];
  }

  /// Of the rows from the 33rd on, the products of the first 32.
  __device__ void subtract(T* rows, const T* l, int count, int number) {
    if (number <= 32) return;
    T known[32];
#pragma unroll
    for (int k = 0; k < 32; ++k) known[k] = rows[k * strip + lane];
    for (int i = 32 + warp; i < number; i += strip_warps) {
      T sum[4]{};
#pragma unroll
      for (int k = 0; k < 32; ++k) sum[k % 4] += l[i * pitch + k] * known[k];
      rows[i * strip + lane] -= (sum[0] + sum[1]) + (sum[2] + sum[3]);
    }
  }

  T* a;
  Index ld;
  int col;
  bool inside;
  T* x;  ///< the solution, in shared memory
  int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
};

template <class T>
__global__ void __launch_bounds__(32 * strip_warps)
    move_strips(T* a, Index ld, const ExchangeList* lists, StripGroups groups) {
  extern __shared__ __align__(16) std::byte memory[];
  let_next_kernel_start();
  wait_for_last_kernel();
  int number = static_cast<int>(blockIdx.x);
  StripGroup group = groups.at[0];
  if (const int strips = (group.end - group.begin + strip - 1) / strip; number >= strips) {
    number -= strips;
    group = groups.at[1];
  }
  const int col = group.begin + number * strip + static_cast<int>(threadIdx.x) % 32;
  StripKernel<T> kernel(a, ld, col, col < group.end, reinterpret_cast<T*>(memory));
  for (int list = group.first_list; list < group.end_list; ++list) kernel.exchange(lists[list]);
  if (group.width > 0) kernel.solve(group.triangle, group.width);
}

}  // namespace tallcache::gpu::lu
