// Floyd's and Warshall's algorithm as in the textbooks: a launch for each intermediate vertex k, a thread for
// each distance.
#pragma once

#include "gpu/gep/path_relaxation.hpp"

namespace tallcache::gpu::gep {

/// Row and column k do not change in step k, as no path from k to k is shorter than 0.
template <bool trees>
struct RelaxByVertex {
  static constexpr int max_threads = path_threads;

  template <class Thread, class A, class P>
  TALLCACHE_DEVICE void operator()(const Thread& t, A a, P p, Tiling tiling, Index k) const {
    using T = typename A::value_type;
    const Tile at = tiling.origin(t);
    const Index i = at.row, j = at.col + t.thread().x;
    if (j >= a.cols) return;
    const T sum = path_sum(T(a(i, k)), T(a(k, j)));
    if (!(sum < T(a(i, j)))) return;
    a(i, j) = sum;
    if constexpr (trees) p(i, j) = std::int32_t(p(k, j));
  }
};

struct floyd_warshall : OnGpu {
  static constexpr std::string_view idea =
      "a launch for each intermediate vertex, a distance a thread: the matrix read and written n times";
  static constexpr std::string_view source = "Floyd 1962";
  using operations = OperationList<ShortestPaths<float>, ShortestPaths<std::int32_t>,
                                   ShortestPathTrees<float>, ShortestPathTrees<std::int32_t>>;

  template <class Device, class Args>
  static void call(Device& device, const Args& args, const Params&) {
    const Index n = args.a.rows;
    if (n == 0) return;
    const Tiling tiling(n, n, 1, path_threads);
    enter_weights(device, args);
    for (Index k = 0; k < n; ++k)
      launch_kernel(device, RelaxByVertex<Args::has_predecessors>{}, {{tiling.grid()}, {path_threads}},
                    args.a, args.p, tiling, k);
    leave_weights(device, args);
  }
};

}  // namespace tallcache::gpu::gep
