// Prefix sums over the lanes of a warp and over the threads of a block on the device.
#pragma once

#include "gpu/launch.cuh"

namespace tallcache::gpu {

template <class T>
struct Sums {
  T before, total;
};

/// The sum of `value`, of 32 bits, over the lanes of the warp up to this one. All lanes must call it.
template <class T>
__device__ T inclusive_sum_of_warp(T value) {
  static_assert(sizeof(T) == 4);
#pragma unroll
  for (int distance = 1; distance < 32; distance *= 2)
    asm volatile(
        "{\n"
        "  .reg .b32 other;\n"
        "  .reg .pred has_other;\n"
        "  shfl.sync.up.b32 other|has_other, %0, %1, 0, 0xffffffff;\n"
        "  @has_other add.u32 %0, %0, other;\n"
        "}"
        : "+r"(value)
        : "r"(distance));
  return value;
}

/// The sums of `value`, of 32 bits, over the threads of the block before this one, and over all `threads` of
/// them. All threads must call it. The block must synchronise between two calls.
template <int threads, class T>
__device__ Sums<T> exclusive_sum(DeviceThread, T value) {
  constexpr unsigned warps = threads / 32;
  static_assert(threads % 32 == 0 && warps <= 32);
  __shared__ T of_warp[warps];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const T upto = inclusive_sum_of_warp(value);
  if (lane == 31) of_warp[warp] = upto;
  __syncthreads();
  const T of_lane = lane < warps ? of_warp[lane] : T{};
  return {upto - value + DeviceThread::reduce_add(lane < warp ? of_lane : T{}),
          DeviceThread::reduce_add(of_lane)};
}

}  // namespace tallcache::gpu
