// The device's own copy: the minimum cost of moving the data.
#pragma once

#include "common/ops/copy.hpp"
#include "gpu/check.hpp"
#include "gpu/on_gpu.hpp"

namespace tallcache::gpu::peers {

struct device_memcpy : OnGpu {
  static constexpr std::string_view idea =
      "cudaMemcpyAsync of the whole within the device, cudaMemcpy2DAsync when padded";
  static constexpr std::string_view source = "the CUDA runtime";
  using operations = OperationList<Copy<float>, Copy<double>, Copy<std::int32_t>>;

  template <class Args>
  static void call(const Launch& launch, const Args& args, const Params&) {
    const auto& [b, a, scratch] = args;
    const std::size_t row = a.cols * sizeof *a.data;
    if (a.rows == 0 || a.cols == 0) return;
    if (a.ld == a.cols && b.ld == b.cols)
      TALLCACHE_CUDA(
          cudaMemcpyAsync(b.data, a.data, a.rows * row, cudaMemcpyDeviceToDevice, stream_of(launch)));
    else
      TALLCACHE_CUDA(cudaMemcpy2DAsync(b.data, b.ld * sizeof *b.data, a.data, a.ld * sizeof *a.data, row,
                                       a.rows, cudaMemcpyDeviceToDevice, stream_of(launch)));
  }
};

}  // namespace tallcache::gpu::peers
