// One thread computes one element of C from a row of A and a column of B, all in global memory.
#pragma once

#include "common/ops/matmul.hpp"
#include "gpu/tile.hpp"

namespace tallcache::gpu::matmul {

/// B as it is stored when it is row-major: element (l, j).
template <class View>
struct RowMajor {
  View b;
  TALLCACHE_DEVICE auto operator()(Index l, Index j) const { return b(l, j); }
};

/// Blocks of tiling.width x tiling.height threads, one thread for each element of C.
struct MultiplyElements {
  template <class Thread, class C, class A, class B>
  TALLCACHE_DEVICE void operator()(const Thread& t, C c, A a, B b, Tiling tiling) const {
    const Tile first = tiling.origin(t);
    const Index i = first.row + t.thread().y, j = first.col + t.thread().x;
    if (i >= c.rows || j >= c.cols) return;
    typename C::value_type sum{};
    for (Index l = 0; l < a.cols; ++l) sum += a(i, l) * b(l, j);
    c(i, j) = sum;
  }
};

template <class Device, class C, class A, class B>
void multiply_elements(Device& device, const C& c, const A& a, const B& b, unsigned block_rows,
                       unsigned block_cols) {
  const Tiling tiling(c.rows, c.cols, block_rows, block_cols);
  if (tiling.empty()) return;
  launch_kernel(device, MultiplyElements{}, {{tiling.grid()}, {block_cols, block_rows}}, c, a, b, tiling);
}

template <class View>
RowMajor(View) -> RowMajor<View>;  // which clang++ 14 does not deduce

}  // namespace tallcache::gpu::matmul
