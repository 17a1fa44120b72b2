// a[i] = a[i] + b, one thread an element.
#pragma once

#include "common/ops/increment.hpp"
#include "gpu/check.hpp"

namespace tallcache::gpu::increment {

template <class T>
__global__ void add_scalar(VectorView<T> a, T b) {
  const Index i = Index{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < a.size) a[i] = a[i] + b;
}

struct thread_an_element : OnGpu {
  static constexpr std::string_view idea =
      "one thread an element, blocks of 256; applies occupancy, coalescing";
  static constexpr std::string_view source = "M14: increment_gpu";
  using operations = OperationList<Increment<float>, Increment<double>, Increment<std::int32_t>>;

  template <class Args>
  static void call(const Launch& launch, const Args& args, const Params&) {
    constexpr int threads = 256;
    if (args.a.size == 0) return;
    add_scalar<<<grid_of(blocks_of(args.a.size, threads)), threads, 0, stream_of(launch)>>>(args.a, args.b);
    check_launch();
  }
};

}  // namespace tallcache::gpu::increment
