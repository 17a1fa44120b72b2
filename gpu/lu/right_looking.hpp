// LU decomposition column by column, with partial pivoting and without, as in the texts: kernels that find
// the pivot, exchange rows, divide the column and subtract the outer product from all that lies right of it.
#pragma once

#include <algorithm>

#include "common/ops/lu.hpp"
#include "gpu/on_gpu.hpp"

namespace tallcache::gpu::lu {

/// Whether `other` in row `other_row` is the better pivot: the larger one, of equal ones the upper one. A NaN
/// is better than any number, so that it shows in the result.
template <class T>
TALLCACHE_DEVICE bool is_better(T other, Index other_row, T own, Index own_row) {
  const T x = other < 0 ? -other : other, y = own < 0 ? -own : own;
  if (x != x || y != y) return x != x && (y == y || other_row < own_row);
  return x > y || (x == y && other_row < own_row);
}

/// exchanges[k] = the row from k on whose element in column k is the largest. One block.
struct FindPivot {
  static constexpr int threads = 256;

  template <class Thread, class A, class E>
  TALLCACHE_DEVICE void operator()(const Thread& t, A a, E exchanges, Index k) const {
    using T = typename A::value_type;
    auto&& values = shared<0, T[threads]>(t);
    auto&& rows = shared<1, std::int32_t[threads]>(t);
    const int id = static_cast<int>(t.thread().x);
    T best = 0;
    Index row = a.rows;
    for (Index i = k + id; i < a.rows; i += threads) {
      const T value = a(i, k);
      if (row == a.rows || is_better(value, i, best, row)) best = value, row = i;
    }
    values[id] = best;
    rows[id] = static_cast<std::int32_t>(row);
    for (int half = threads / 2; half > 0; half /= 2) {
      t.sync();
      if (id >= half) continue;
      const T other = values[id + half];
      const std::int32_t other_row = rows[id + half], own_row = rows[id];
      if (other_row < a.rows && (own_row == a.rows || is_better<T>(other, other_row, values[id], own_row))) {
        values[id] = other;
        rows[id] = other_row;
      }
    }
    if (id == 0) exchanges[k] = std::int32_t(rows[0]);
  }
};

/// Exchanges row k and row exchanges[k], a column a thread.
struct ExchangeRows {
  template <class Thread, class A, class E>
  TALLCACHE_DEVICE void operator()(const Thread& t, A a, E exchanges, Index k) const {
    const Index j = Index{t.block().x} * t.block_dim().x + t.thread().x, other = exchanges[k];
    if (j >= a.cols || other == k) return;
    const typename A::value_type old = a(k, j);
    a(k, j) = typename A::value_type(a(other, j));
    a(other, j) = old;
  }
};

/// Divides the column below the pivot by it, a row a thread. Where the pivot is 0 after an exchange, so is
/// the column, and it stays.
struct DivideColumn {
  template <class Thread, class A>
  TALLCACHE_DEVICE void operator()(const Thread& t, A a, Index k, bool pivoting) const {
    const Index i = k + 1 + Index{t.block().x} * t.block_dim().x + t.thread().x;
    if (i >= a.rows) return;
    const typename A::value_type pivot = a(k, k);
    if (pivot != 0 || !pivoting) a(i, k) = a(i, k) / pivot;
  }
};

/// Subtracts the column times the row from what lies below and right of the pivot, an element a thread.
struct SubtractOuter {
  template <class Thread, class A>
  TALLCACHE_DEVICE void operator()(const Thread& t, A a, Index k) const {
    const Index j = k + 1 + Index{t.block().x} * t.block_dim().x + t.thread().x;
    if (j >= a.cols) return;
    const Index step = Index{t.grid_dim().y} * t.block_dim().y;
    for (Index i = k + 1 + Index{t.block().y} * t.block_dim().y + t.thread().y; i < a.rows; i += step)
      a(i, j) = a(i, j) - a(i, k) * a(k, j);
  }
};

struct right_looking : OnGpu {
  static constexpr std::string_view idea =
      "column by column: find the pivot, exchange rows, divide, subtract the outer product; applies "
      "occupancy, coalescing";
  static constexpr std::string_view source = "M11: LU decomposition; Golub and Van Loan 2013";
  using operations = OperationList<LuPivot<double>, LuPivot<float>, Lu<double>, Lu<float>>;

  template <class Device, class Args>
  static void call(Device& device, const Args& args, const Params&) {
    const auto& a = args.a;
    constexpr int threads = 256, across = 32, down = 8;
    for (Index k = 0; k < std::min(a.rows, a.cols); ++k) {
      if constexpr (Args::has_exchanges) {
        launch_kernel(device, FindPivot{}, {{1}, {FindPivot::threads}}, a, args.exchanges, k);
        launch_kernel(device, ExchangeRows{}, {{grid_of(ceil_div(a.cols, threads))}, {threads}}, a,
                      args.exchanges, k);
      }
      const Index rows = a.rows - k - 1, cols = a.cols - k - 1;
      if (rows == 0) continue;
      launch_kernel(device, DivideColumn{}, {{grid_of(ceil_div(rows, threads))}, {threads}}, a, k,
                    Args::has_exchanges);
      if (cols == 0) continue;
      const auto rows_of_blocks = static_cast<unsigned>(std::min<Index>(ceil_div(rows, down), 65535));
      launch_kernel(device, SubtractOuter{},
                    {{grid_of(ceil_div(cols, across)), rows_of_blocks}, {across, down}}, a, k);
    }
  }
};

}  // namespace tallcache::gpu::lu
