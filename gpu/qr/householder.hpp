// The QR factorisation one reflector at a time, as in the texts: a kernel makes the reflector of a column,
// another applies it to the columns behind.
#pragma once

#include <cmath>

#include "common/ops/qr.hpp"
#include "gpu/on_gpu.hpp"

namespace tallcache::gpu::qr {

inline constexpr int reflector_threads = 256, columns_across = 32, rows_down = 8;

/// The sum over the block's threads, or where `largest` their largest number. The same in all threads.
template <bool largest, class Thread, class T, class Shared>
TALLCACHE_DEVICE T reduce_over_block(const Thread& t, T own, Shared&& of_threads) {
  const int id = static_cast<int>(t.thread().x);
  of_threads[id] = own;
  t.sync();
  for (int half = reflector_threads / 2; half > 0; half /= 2) {
    if (id < half) {
      const T x = of_threads[id], y = of_threads[id + half];
      of_threads[id] = !largest ? x + y : x > y ? x : y;
    }
    t.sync();
  }
  const T all = of_threads[0];
  t.sync();
  return all;
}

/// Makes column j (beta; v) and tau[j], so that (I - tau v v^T) makes it (beta; 0). One block. Elements are
/// divided by the largest one, so that no square over- or underflows.
struct MakeReflector {
  template <class Thread, class A, class Tau>
  TALLCACHE_DEVICE void operator()(const Thread& t, A a, Tau tau, Index j) const {
    using T = typename A::value_type;
    using std::sqrt;
    auto&& of_threads = shared<0, T[reflector_threads]>(t);
    const Index id = t.thread().x;
    T largest = 0;
    for (Index i = j + id; i < a.rows; i += reflector_threads) {
      const T x = a(i, j), magnitude = x < 0 ? -x : x;
      if (magnitude > largest) largest = magnitude;
    }
    largest = reduce_over_block<true>(t, largest, of_threads);
    const T scale = largest > 0 ? largest : T{1};
    T sum = 0;
    for (Index i = j + 1 + id; i < a.rows; i += reflector_threads) {
      const T x = a(i, j) / scale;
      sum += x * x;
    }
    sum = reduce_over_block<false>(t, sum, of_threads);
    const T alpha = a(j, j) / scale;
    const T norm = sqrt(alpha * alpha + sum), sign = alpha < 0 ? T{-1} : T{1};
    // What x is beside alpha may be less than a square can show. Then H = I.
    const bool reflects = !(sum == 0);
    t.sync();  // alpha is read
    for (Index i = j + 1 + id; i < a.rows; i += reflector_threads)
      a(i, j) = reflects ? a(i, j) / scale / (alpha + sign * norm) : T{0};
    if (id > 0) return;
    tau[j] = reflects ? 1 + sign * alpha / norm : T{0};
    if (reflects) a(j, j) = -sign * norm * scale;
  }
};

/// Applies the reflector of column j to the columns behind it, a block to 32 of them.
struct ApplyReflector {
  template <class Thread, class A, class Tau>
  TALLCACHE_DEVICE void operator()(const Thread& t, A a, Tau tau, Index j) const {
    using T = typename A::value_type;
    auto&& products = shared<0, T[rows_down][columns_across]>(t);
    const int x = static_cast<int>(t.thread().x), y = static_cast<int>(t.thread().y);
    const Index c = j + 1 + Index{t.block().x} * columns_across + x;
    T product = 0;
    if (c < a.cols)
      for (Index i = j + 1 + y; i < a.rows; i += rows_down) product += a(i, j) * a(i, c);
    products[y][x] = product;
    const T top = c < a.cols ? T(a(j, c)) : T{0};
    t.sync();  // row j is read
    if (c >= a.cols) return;
    product = top;
    for (int i = 0; i < rows_down; ++i) product += products[i][x];
    product *= tau[j];
    if (y == 0) a(j, c) = top - product;
    for (Index i = j + 1 + y; i < a.rows; i += rows_down) a(i, c) = a(i, c) - product * a(i, j);
  }
};

struct householder : OnGpu {
  static constexpr std::string_view idea =
      "one reflector at a time: a block makes it, and another kernel multiplies the columns behind by it; "
      "applies coalescing";
  static constexpr std::string_view source = "Householder 1958; Golub and Van Loan 2013, algorithm 5.2.1";
  using operations = OperationList<Qr<double>, Qr<float>>;

  template <class Device, class Args>
  static void call(Device& device, const Args& args, const Params&) {
    const auto& a = args.a;
    for (Index j = 0; j < args.tau.size; ++j) {
      launch_kernel(device, MakeReflector{}, {{1}, {reflector_threads}}, a, args.tau, j);
      const Index left = a.cols - j - 1;
      if (left > 0)
        launch_kernel(device, ApplyReflector{},
                      {{grid_of(ceil_div(left, columns_across))}, {columns_across, rows_down}}, a, args.tau,
                      j);
    }
  }
};

}  // namespace tallcache::gpu::qr
