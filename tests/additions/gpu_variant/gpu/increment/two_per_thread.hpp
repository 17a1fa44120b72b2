// a[i] = a[i] + b, two elements for each thread, a block apart.
#pragma once

#include "common/ops/increment.hpp"
#include "gpu/on_gpu.hpp"

namespace tallcache::gpu::increment {

struct AddScalarTwice {
  template <class Thread, class A, class T>
  TALLCACHE_DEVICE void operator()(const Thread& t, A a, T b) const {
    const Index first = 2 * Index{t.block().x} * t.block_dim().x + t.thread().x;
    if (first < a.size) a[first] = a[first] + b;
    const Index second = first + t.block_dim().x;
    if (second < a.size) a[second] = a[second] + b;
  }
};

struct two_per_thread : OnGpu {
  static constexpr std::string_view idea =
      "two elements a thread, blocks of 256; applies occupancy, coalescing, coarsening";
  static constexpr std::string_view source = "M14: increment_gpu";
  using operations = OperationList<Increment<float>, Increment<double>>;

  template <class Device, class Args>
  static void call(Device& device, const Args& args, const Params&) {
    constexpr int threads = 256;
    if (args.a.size == 0) return;
    launch_kernel(device, AddScalarTwice{}, {{grid_of(ceil_div(args.a.size, 2 * threads))}, {threads}},
                  args.a, args.b);
  }
};

}  // namespace tallcache::gpu::increment
