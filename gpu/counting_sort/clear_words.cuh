// The first kernel of a sort.
#pragma once

#include <cstdint>

#include "gpu/dependent_launch.cuh"

namespace tallcache::gpu::counting_sort {

/// Zeroes `number` words, which blocks add to. A kernel, as only kernels let the next one start early.
static __global__ void clear_words(std::uint32_t* words, int number) {
  let_next_kernel_start();
  for (int i = threadIdx.x; i < number; i += blockDim.x) words[i] = 0;
}

}  // namespace tallcache::gpu::counting_sort
