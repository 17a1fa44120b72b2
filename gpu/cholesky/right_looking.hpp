// Cholesky decomposition column by column, as in the texts: kernels that take the root, divide the column and
// subtract the outer product from the lower triangle right of it.
#pragma once

#include <algorithm>
#include <cmath>

#include "common/ops/cholesky.hpp"
#include "gpu/on_gpu.hpp"

namespace tallcache::gpu::cholesky {

/// The root of the pivot, by one thread.
struct TakeRoot {
  template <class Thread, class A>
  TALLCACHE_DEVICE void operator()(const Thread&, A a, Index k) const {
    using std::sqrt;
    a(k, k) = sqrt(typename A::value_type(a(k, k)));
  }
};

/// Divides the column below the root by it, a row a thread.
struct DivideByRoot {
  template <class Thread, class A>
  TALLCACHE_DEVICE void operator()(const Thread& t, A a, Index k) const {
    const Index i = k + 1 + Index{t.block().x} * t.block_dim().x + t.thread().x;
    if (i < a.rows) a(i, k) = a(i, k) / a(k, k);
  }
};

/// Subtracts the products of the column's elements from the lower triangle, an element a thread.
struct SubtractLower {
  template <class Thread, class A>
  TALLCACHE_DEVICE void operator()(const Thread& t, A a, Index k) const {
    const Index j = k + 1 + Index{t.block().x} * t.block_dim().x + t.thread().x;
    const Index step = Index{t.grid_dim().y} * t.block_dim().y;
    for (Index i = k + 1 + Index{t.block().y} * t.block_dim().y + t.thread().y; i < a.rows; i += step)
      if (j <= i) a(i, j) = a(i, j) - a(i, k) * a(j, k);
  }
};

struct right_looking : OnGpu {
  static constexpr std::string_view idea =
      "column by column: take the root, divide, subtract the outer product from the lower triangle; applies "
      "occupancy";
  static constexpr std::string_view source = "Golub and Van Loan 2013";
  using operations = OperationList<Cholesky<double>, Cholesky<float>>;

  template <class Device, class Args>
  static void call(Device& device, const Args& args, const Params&) {
    const auto& a = args.a;
    constexpr int threads = 256, across = 32, down = 8;
    for (Index k = 0; k < a.rows; ++k) {
      launch_kernel(device, TakeRoot{}, {{1}, {1}}, a, k);
      const Index left = a.rows - k - 1;
      if (left == 0) break;
      launch_kernel(device, DivideByRoot{}, {{grid_of(ceil_div(left, threads))}, {threads}}, a, k);
      const auto rows_of_blocks = static_cast<unsigned>(std::min<Index>(ceil_div(left, down), 65535));
      launch_kernel(device, SubtractLower{},
                    {{grid_of(ceil_div(left, across)), rows_of_blocks}, {across, down}}, a, k);
    }
  }
};

}  // namespace tallcache::gpu::cholesky
