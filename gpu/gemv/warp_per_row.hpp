// y = A x, one warp for each row.
#pragma once

#include "common/ops/gemv.hpp"
#include "gpu/on_gpu.hpp"
#include "gpu/tuning/tuned.hpp"

namespace tallcache::gpu::gemv {

inline constexpr int warp = 32;

/// Each lane sums every 32nd product of its warp's row. Five shuffles add up the lanes.
struct MultiplyRows {
  template <class Thread, class Y, class A, class X>
  TALLCACHE_DEVICE void operator()(const Thread& t, Y y, A a, X x) const {
    const Index i = (Index{t.block().x} * t.block_dim().x + t.thread().x) / warp;
    const int lane = t.thread().x % warp;
    if (i >= a.rows) return;  // the whole warp
    typename Y::value_type sum{};
    for (Index j = lane; j < a.cols; j += warp) sum += a(i, j) * x[j];
    for (int distance = warp / 2; distance; distance /= 2) sum += t.shuffle_down(sum, distance);
    if (lane == 0) y[i] = sum;
  }
};

struct warp_per_row : OnGpu {
  static constexpr std::string_view idea =
      "one warp a row, its lanes read neighbours and add up by shuffles; applies occupancy, coalescing, "
      "divergence";
  static constexpr std::string_view source = "S2: Matrix-vector multiply (GEMV)";
  using operations = OperationList<Gemv<float>, Gemv<double>, Gemv<std::int32_t>>;

  template <class Device, class Args>
  static void call(Device& device, const Args& args, const Params&) {
    if (args.a.rows == 0) return;
    const int threads = tuning_of(device).gemv_threads;
    const unsigned blocks = grid_of(ceil_div<Index>(args.a.rows, threads / warp));
    launch_kernel(device, MultiplyRows{}, {{blocks}, {static_cast<unsigned>(threads)}}, args.y, args.a,
                  args.x);
  }
};

}  // namespace tallcache::gpu::gemv
