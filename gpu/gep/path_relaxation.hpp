// What the kernels of shortest paths share: the relaxation of a distance, the weights before the first step,
// and the distances after the last.
//
// A call throws nothing of what it finds on the device. Where there is a negative cycle, the diagonal has a
// negative number for a vertex on it: distances never rise, so that it stays. All others then are undefined.
#pragma once

#include <cstdint>
#include <type_traits>

#include "common/ops/shortest_paths.hpp"
#include "gpu/on_gpu.hpp"
#include "gpu/tile.hpp"

namespace tallcache::gpu::gep {

/// u + v. Whole numbers wrap: of negative cycles alone are sums so small.
template <class T>
TALLCACHE_INLINE T path_sum(T u, T v) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<std::make_unsigned_t<T>>(u) + static_cast<std::make_unsigned_t<T>>(v));
  else
    return u + v;
}

/// The lesser of x and u + v.
template <class T>
TALLCACHE_INLINE T relaxed(T x, T u, T v) {
#ifdef __CUDA_ARCH__
  if constexpr (std::is_same_v<T, std::int32_t>)
    return __viaddmin_s32(u, v, x);
  else
    return fminf(u + v, x);
#else
  const T sum = path_sum(u, v);
  return sum < x ? sum : x;
#endif
}

/// A distance x, and the predecessor p of its last vertex, by u + v, whose last part has predecessor q. Of
/// two equal distances the old one stays.
template <bool trees, class T>
TALLCACHE_INLINE void relax(T& x, std::int32_t& p, T u, T v, std::int32_t q) {
  if constexpr (trees) {
    const T sum = path_sum(u, v);
    const bool falls = sum < x;
    x = falls ? sum : x;
    p = falls ? q : p;
  } else {
    x = relaxed(x, u, v);
  }
}

constexpr int path_threads = 256;

/// Of each weight: infinity becomes the one that sums do not exceed, a vertex reaches itself, and it
/// precedes those to which it has an edge.
template <bool trees>
struct EnterWeights {
  static constexpr int max_threads = path_threads;

  template <class Thread, class A, class P>
  TALLCACHE_DEVICE void operator()(const Thread& t, A a, P p, Tiling tiling) const {
    using T = typename A::value_type;
    using Weight = PathWeight<T>;
    const Tile at = tiling.origin(t);
    const Index i = at.row, j = at.col + t.thread().x;
    if (j >= a.cols) return;
    T weight = Weight::enter(T(a(i, j)));
    if (i == j && weight > T{}) weight = T{};
    a(i, j) = weight;
    if constexpr (trees) p(i, j) = i == j || !(weight < Weight::inner) ? -1 : static_cast<std::int32_t>(i);
  }
};

/// The diagonal alone, where all other weights stay as they are.
struct EnterDiagonal {
  static constexpr int max_threads = path_threads;

  template <class Thread, class A>
  TALLCACHE_DEVICE void operator()(const Thread& t, A a) const {
    using T = typename A::value_type;
    const Index i = static_cast<Index>(t.block().x) * max_threads + t.thread().x;
    if (i < a.rows && T(a(i, i)) > T{}) a(i, i) = T{};
  }
};

/// The distances as their reader knows them.
template <bool trees>
struct LeaveWeights {
  static constexpr int max_threads = path_threads;

  template <class Thread, class A, class P>
  TALLCACHE_DEVICE void operator()(const Thread& t, A a, P p, Tiling tiling) const {
    using T = typename A::value_type;
    using Weight = PathWeight<T>;
    const Tile at = tiling.origin(t);
    const Index i = at.row, j = at.col + t.thread().x;
    if (j >= a.cols) return;
    const T distance = Weight::leave(T(a(i, j)));
    a(i, j) = distance;
    if constexpr (trees)
      if (distance == Weight::infinite) p(i, j) = -1;
  }
};

template <class Device, class Args>
void enter_weights(Device& device, const Args& args) {
  using T = typename Args::Number;
  using Weight = PathWeight<T>;
  if constexpr (!Args::has_predecessors && Weight::inner == Weight::infinite) {
    launch_kernel(device, EnterDiagonal{}, {{grid_of(ceil_div(args.a.rows, path_threads))}, {path_threads}},
                  args.a);
  } else {
    const Tiling tiling(args.a.rows, args.a.cols, 1, path_threads);
    launch_kernel(device, EnterWeights<Args::has_predecessors>{}, {{tiling.grid()}, {path_threads}}, args.a,
                  args.p, tiling);
  }
}

template <class Device, class Args>
void leave_weights(Device& device, const Args& args) {
  using Weight = PathWeight<typename Args::Number>;
  if constexpr (Weight::inner != Weight::infinite) {
    const Tiling tiling(args.a.rows, args.a.cols, 1, path_threads);
    launch_kernel(device, LeaveWeights<Args::has_predecessors>{}, {{tiling.grid()}, {path_threads}}, args.a,
                  args.p, tiling);
  }
}

}  // namespace tallcache::gpu::gep
