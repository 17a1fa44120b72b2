// One thread computes one element of C from a row of A and a column of B, all in global memory.
#pragma once

#include "common/ops/matmul.hpp"
#include "gpu/tile.cuh"

namespace tallcache::gpu::matmul {

/// B as it is stored when it is row-major: element (l, j).
template <class T>
struct RowMajor {
  MatrixView<const T> b;
  __device__ T operator()(Index l, Index j) const { return b(l, j); }
};

/// Blocks of tiling.width x tiling.height threads, one thread an element of C.
template <class T, class B>
__global__ void multiply_elements(MatrixView<T> c, MatrixView<const T> a, B b, Tiling tiling) {
  const Tile first = tiling.origin();
  const Index i = first.row + threadIdx.y, j = first.col + threadIdx.x;
  if (i >= c.rows || j >= c.cols) return;
  T sum{};
  for (Index l = 0; l < a.cols; ++l) sum += a(i, l) * b(l, j);
  c(i, j) = sum;
}

template <class T, class B>
void multiply_elements(const Launch& launch, MatrixView<T> c, MatrixView<const T> a, B b, int block_rows,
                       int block_cols) {
  const Tiling tiling(c.rows, c.cols, block_rows, block_cols);
  if (tiling.empty()) return;
  multiply_elements<<<tiling.grid(), dim3(block_cols, block_rows), 0, stream_of(launch)>>>(c, a, b, tiling);
  check_launch();
}

}  // namespace tallcache::gpu::matmul
