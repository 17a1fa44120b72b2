// The serial transposition with a parallel outer loop: one thread for each row of B.
#pragma once

#include "common/ops/transpose.hpp"
#include "gpu/on_gpu.hpp"

namespace tallcache::gpu::transpose {

struct TransposeRow {
  template <class Thread, class B, class A>
  TALLCACHE_DEVICE void operator()(const Thread& t, B b, A a) const {
    const Index i = Index{t.block().x} * t.block_dim().x + t.thread().x;
    if (i >= b.rows) return;
    for (Index j = 0; j < b.cols; ++j) b(i, j) = a(j, i);
  }
};

struct thread_per_row : OnGpu {
  static constexpr std::string_view idea = "one thread a row of B, blocks of 256: too few loads under way";
  static constexpr std::string_view source = "S4: transpose1";
  using operations = OperationList<Transpose<float>, Transpose<double>, Transpose<std::int32_t>>;

  template <class Device, class Args>
  static void call(Device& device, const Args& args, const Params&) {
    constexpr int threads = 256;
    if (args.b.rows == 0) return;
    launch_kernel(device, TransposeRow{}, {{grid_of(ceil_div(args.b.rows, threads))}, {threads}}, args.b,
                  args.a);
  }
};

}  // namespace tallcache::gpu::transpose
