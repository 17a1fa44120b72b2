// Prefix sums over the threads of a block on the device, by CUB.
#pragma once

#include <cub/block/block_scan.cuh>
#include <utility>

#include "gpu/launch.cuh"

namespace tallcache::gpu {

template <class T>
struct Sums {
  T before, total;
};

/// The sums of `value` over the threads of the block before this one, and over all `threads` of them. All
/// threads must call it. The block must synchronise between two calls.
template <int threads, class T>
__device__ Sums<T> exclusive_sum(DeviceThread, T value) {
  using Scan = cub::BlockScan<T, threads>;
  __shared__ typename Scan::TempStorage memory;
  Sums<T> sums;
  Scan(memory).ExclusiveSum(value, sums.before, sums.total);
  return sums;
}

}  // namespace tallcache::gpu
