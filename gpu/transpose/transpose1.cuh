// The serial transposition with its outer loop parallel: one thread a row of B.
#pragma once

#include "common/ops/transpose.hpp"
#include "gpu/check.hpp"

namespace tallcache::gpu::transpose {

template <class T>
__global__ void transpose_row(MatrixView<T> b, MatrixView<const T> a) {
  const Index i = Index{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= b.rows) return;
  for (Index j = 0; j < b.cols; ++j) b(i, j) = a(j, i);
}

struct transpose1 : OnGpu {
  static constexpr std::string_view idea = "one thread a row of B, blocks of 256: too few loads under way";
  static constexpr std::string_view source = "S4: transpose1";
  using operations = OperationList<Transpose<float>, Transpose<double>, Transpose<std::int32_t>>;

  template <class Args>
  static void call(const Launch& launch, const Args& args, const Params&) {
    constexpr int threads = 256;
    if (args.b.rows == 0) return;
    transpose_row<<<grid_of(blocks_of(args.b.rows, threads)), threads, 0, stream_of(launch)>>>(args.b,
                                                                                               args.a);
    check_launch();
  }
};

}  // namespace tallcache::gpu::transpose
