// a[i] = a[i] + b, one thread for each element.
#pragma once

#include "common/ops/increment.hpp"
#include "gpu/on_gpu.hpp"

namespace tallcache::gpu::increment {

struct AddScalar {
  template <class Thread, class A, class T>
  TALLCACHE_DEVICE void operator()(const Thread& t, A a, T b) const {
    const Index i = Index{t.block().x} * t.block_dim().x + t.thread().x;
    if (i < a.size) a[i] = a[i] + b;
  }
};

struct thread_per_element : OnGpu {
  static constexpr std::string_view idea =
      "one thread an element, blocks of 256; applies occupancy, coalescing";
  static constexpr std::string_view source = "M14: increment_gpu";
  using operations = OperationList<Increment<float>, Increment<double>, Increment<std::int32_t>>;

  template <class Device, class Args>
  static void call(Device& device, const Args& args, const Params&) {
    constexpr int threads = 256;
    if (args.a.size == 0) return;
    launch_kernel(device, AddScalar{}, {{grid_of(ceil_div(args.a.size, threads))}, {threads}}, args.a,
                  args.b);
  }
};

}  // namespace tallcache::gpu::increment
