// Exchanges of rows as this project has them, from those of a library that counts from 1.
#pragma once

#include "common/ceil_div.hpp"
#include "common/view.hpp"
#include "gpu/check.hpp"
#include "gpu/launch.cuh"
#include "gpu/on_gpu.hpp"

namespace tallcache::gpu::peers {

static __global__ void subtract_one(VectorView<std::int32_t> exchanges) {
  const Index i = Index{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < exchanges.size) --exchanges.data[i];
}

inline void count_from_zero(const Launch& launch, const VectorView<std::int32_t>& exchanges) {
  subtract_one<<<grid_of(ceil_div<Index>(exchanges.size, 256)), 256, 0, stream_of(launch)>>>(exchanges);
  check_launch();
}

}  // namespace tallcache::gpu::peers
