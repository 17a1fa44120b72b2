// y = A x, one warp a row.
#pragma once

#include "common/ops/gemv.hpp"
#include "gpu/check.hpp"

namespace tallcache::gpu::gemv {

inline constexpr int warp = 32;

/// Each lane sums every 32nd product of its warp's row; five shuffles add the lanes up.
template <class T>
__global__ void multiply_rows(VectorView<T> y, MatrixView<const T> a, VectorView<const T> x) {
  const Index i = (Index{blockIdx.x} * blockDim.x + threadIdx.x) / warp;
  const int lane = threadIdx.x % warp;
  if (i >= a.rows) return;  // the whole warp
  T sum{};
  for (Index j = lane; j < a.cols; j += warp) sum += a(i, j) * x[j];
  for (int distance = warp / 2; distance; distance /= 2) sum += __shfl_down_sync(~0u, sum, distance);
  if (lane == 0) y[i] = sum;
}

struct warp_a_row : OnGpu {
  static constexpr std::string_view idea =
      "one warp a row, its lanes read neighbours and add up by shuffles; applies occupancy, coalescing, "
      "divergence";
  static constexpr std::string_view source = "S2: Matrix-vector multiply (GEMV)";
  using operations = OperationList<Gemv<float>, Gemv<double>, Gemv<std::int32_t>>;

  template <class Args>
  static void call(const Launch& launch, const Args& args, const Params&) {
    constexpr int threads = 256;
    if (args.a.rows == 0) return;
    const unsigned blocks = grid_of(blocks_of(args.a.rows, threads / warp));
    multiply_rows<<<blocks, threads, 0, stream_of(launch)>>>(args.y, args.a, args.x);
    check_launch();
  }
};

}  // namespace tallcache::gpu::gemv
