// Triangular systems with one or a few right-hand sides, by the factors of an LU decomposition.
#pragma once

#include <bit>
#include <cstdint>

#include "common/ceil_div.hpp"
#include "gpu/check.hpp"
#include "gpu/launch.cuh"

namespace tallcache::gpu::solve {

/// Rows of a block of the triangle; vectors are padded to a multiple of it.
template <class T>
inline constexpr int block_rows = 256 / sizeof(T);
inline constexpr int solve_threads = 256;

/// The factors L and U of a matrix with n rows and columns in one, whose rows start at multiples of 16 bytes.
/// The columns from n on, to the next multiple of block_rows, are zero. `inverses` has those of the diagonal
/// blocks of L, then of U.
template <class T>
struct Factors {
  const T* data;
  Index ld;
  int n;
  const T* inverses;

  constexpr int blocks() const { return ceil_div(n, block_rows<T>); }
};

/// Inverts the diagonal blocks. A block a diagonal block of L (blockIdx.y 0) or of U; a thread a column.
template <class T>
__global__ void __launch_bounds__(block_rows<T>) invert_blocks(Factors<T> factors, T* inverses) {
  constexpr int size = block_rows<T>;
  __shared__ T triangle[size][size + 1], inverse[size][size];
  const int first = static_cast<int>(blockIdx.x) * size, j = static_cast<int>(threadIdx.x);
  const bool upper = blockIdx.y == 1;
  for (int i = 0; i < size; ++i) {
    const bool inside = first + i < factors.n && first + j < factors.n;
    T element = inside ? factors.data[(first + i) * factors.ld + first + j] : T{0};
    if (i == j && (!upper || !inside)) element = 1;
    triangle[i][j] = element;
    inverse[i][j] = 0;
  }
  __syncthreads();
  // From the column's diagonal element on, away from it.
  const int step = upper ? -1 : 1, end = upper ? -1 : size;
  inverse[j][j] = 1 / triangle[j][j];
  for (int i = j + step; i != end; i += step) {
    T sum = 0;
    for (int k = j; k != i; k += step) sum += triangle[i][k] * inverse[k][j];
    inverse[i][j] = -sum / triangle[i][i];
  }
  __syncthreads();
  T* const to = inverses + (static_cast<Index>(blockIdx.y) * gridDim.x + blockIdx.x) * size * size;
  for (int i = 0; i < size; ++i) to[i * size + j] = inverse[i][j];
}

/// What memory holds before a solution's element is there, all bits set: no operation makes this NaN.
template <class T>
__device__ bool is_awaited(T x) {
  if constexpr (sizeof(T) == 4)
    return __float_as_uint(x) == ~0u;
  else
    return __double_as_longlong(x) == -1;
}

/// Waits until another block has stored all of a vector of the solution.
template <class T>
__device__ Vector<T, 16 / sizeof(T)> await(const T* from) {
  Vector<T, 16 / sizeof(T)> x;
  bool waits = true;
  while (waits) {
    if constexpr (sizeof(T) == 4)
      asm volatile("ld.relaxed.gpu.global.v4.f32 {%0, %1, %2, %3}, [%4];"
                   : "=f"(x.at[0]), "=f"(x.at[1]), "=f"(x.at[2]), "=f"(x.at[3])
                   : "l"(from)
                   : "memory");
    else
      asm volatile("ld.relaxed.gpu.global.v2.f64 {%0, %1}, [%2];"
                   : "=d"(x.at[0]), "=d"(x.at[1])
                   : "l"(from)
                   : "memory");
    waits = false;
#pragma unroll
    for (const T element : x.at) waits |= is_awaited(element);
  }
  return x;
}
template <class T>
__device__ void publish(T* to, T x) {
  if (is_awaited(x)) x = x - x;
  if constexpr (sizeof(T) == 4)
    asm volatile("st.relaxed.gpu.global.f32 [%0], %1;" ::"l"(to), "f"(x) : "memory");
  else
    asm volatile("st.relaxed.gpu.global.f64 [%0], %1;" ::"l"(to), "d"(x) : "memory");
}

/// A thread's part of a block of rows: every row has `lanes` threads, which have chunks of it in turn.
template <class T, int columns>
class TriangleRows {
  static constexpr int size = block_rows<T>, lanes = solve_threads / size, width = 16 / sizeof(T),
                       chunks = size / (lanes * width);
  using Chunk = Vector<T, width>;

 public:
  __device__ TriangleRows(const Factors<T>& factors_of_matrix, int block, bool is_upper)
      : factors(factors_of_matrix), own(block), upper(is_upper), total(factors.blocks()) {
    const int r = own * size + row;
    from = factors.data + (r < factors.n ? r : 0) * factors.ld + lane * width;
    inside = r < factors.n;
    const T* const inverse = factors.inverses + (static_cast<Index>(upper) * total + own) * size * size +
                             row * size + lane * width;
    load(inverse, of_inverse);
  }

  /// The solution of the block's rows. Columns of `right` and of `x` lie `stride` apart.
  __device__ void solve(const T* right, T* x, Index stride) {
    __shared__ __align__(16) T known[2][columns][size];
    const int before = upper ? total - 1 - own : own;
    Chunk next[chunks], part[chunks];
    if (before > 0) load(from + block_at(0) * size, next);
    for (int s = 0; s < before; ++s) {
#pragma unroll
      for (int c = 0; c < chunks; ++c) part[c] = next[c];
      if (s + 1 < before) load(from + block_at(s + 1) * size, next);
      if (const int at = static_cast<int>(threadIdx.x); at < columns * size / width) {
        const int column = at / (size / width), k = at % (size / width) * width;
        *reinterpret_cast<Chunk*>(&known[s % 2][column][k]) =
            await(x + column * stride + block_at(s) * size + k);
      }
      __syncthreads();
      add(part, known[s % 2]);
    }
    auto& left = known[before % 2];
#pragma unroll
    for (int c = 0; c < columns; ++c) {
      const T sum = sum_of_lanes(c);
      if (lane == 0) left[c][row] = right[c * stride + own * size + row] - sum;
      sums[c] = 0;
    }
    __syncthreads();
    add(of_inverse, left);
#pragma unroll
    for (int c = 0; c < columns; ++c) {
      const T sum = sum_of_lanes(c);
      if (lane == 0) publish(x + c * stride + own * size + row, sum);
    }
  }

 private:
  __device__ int block_at(int s) const { return upper ? total - 1 - s : s; }
  __device__ void load(const T* first, Chunk (&to)[chunks]) const {
#pragma unroll
    for (int c = 0; c < chunks; ++c)
      to[c] = inside ? *reinterpret_cast<const Chunk*>(first + c * lanes * width) : Chunk{};
  }
  __device__ void add(const Chunk (&part)[chunks], const T (&known)[columns][size]) {
#pragma unroll
    for (int column = 0; column < columns; ++column)
#pragma unroll
      for (int c = 0; c < chunks; ++c) {
        const Chunk x = *reinterpret_cast<const Chunk*>(&known[column][(c * lanes + lane) * width]);
#pragma unroll
        for (int e = 0; e < width; ++e) sums[column] += part[c].at[e] * x.at[e];
      }
  }
  __device__ T sum_of_lanes(int column) const {
    T sum = sums[column];
#pragma unroll
    for (int distance = lanes / 2; distance > 0; distance /= 2) sum += __shfl_xor_sync(~0u, sum, distance);
    return sum;
  }

  Factors<T> factors;
  int own;
  bool upper;
  int total;
  int row = static_cast<int>(threadIdx.x) / lanes, lane = static_cast<int>(threadIdx.x) % lanes;
  const T* from;
  bool inside;
  Chunk of_inverse[chunks];
  T sums[columns]{};
};

/// X = L^-1 B or U^-1 B for `columns` columns a block, whose blocks of rows wait for those before them. All
/// bits of `x`, and of `tickets`, the number of blocks that have begun less 1, must be set.
template <class T, int columns>
__global__ void __launch_bounds__(solve_threads)
    solve_triangle(Factors<T> factors, const T* right, T* x, Index stride, unsigned* tickets, bool upper) {
  // Blocks take their places in the order in which they begin: those that they wait for have begun.
  __shared__ unsigned ticket;
  if (threadIdx.x == 0) ticket = atomicAdd(tickets, 1) + 1;
  __syncthreads();
  const int groups = static_cast<int>(gridDim.x) / factors.blocks();
  const int place = static_cast<int>(ticket) / groups, group = static_cast<int>(ticket) % groups;
  const Index first = group * columns * stride;
  TriangleRows<T, columns>(factors, upper ? factors.blocks() - 1 - place : place, upper)
      .solve(right + first, x + first, stride);
}

/// Starts solve_triangle for `columns` columns, a multiple of 4 or 1. `x` has columns * stride elements and a
/// ticket behind them.
template <class T>
void launch_solve(cudaStream_t stream, const Factors<T>& factors, const T* right, T* x, Index stride,
                  int columns, bool upper) {
  TALLCACHE_CUDA(cudaMemsetAsync(x, 0xff, columns * stride * sizeof(T) + sizeof(unsigned), stream));
  auto* const tickets = reinterpret_cast<unsigned*>(x + columns * stride);
  if (columns == 1)
    solve_triangle<T, 1>
        <<<factors.blocks(), solve_threads, 0, stream>>>(factors, right, x, stride, tickets, upper);
  else
    solve_triangle<T, 4><<<factors.blocks() * (columns / 4), solve_threads, 0, stream>>>(
        factors, right, x, stride, tickets, upper);
  check_launch();
}

}  // namespace tallcache::gpu::solve
