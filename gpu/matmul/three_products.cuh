// The product of floats in their own precision, on Hopper's tensor cores.
#pragma once

#include "gpu/matmul/split_launch.cuh"

namespace tallcache::gpu::matmul {

struct three_products : ThreeProducts<true> {
  static constexpr std::string_view idea =
      "tensor cores: each element is split into two TF32 parts, and three of the four products of parts are "
      "added; the tensor cores truncate their sums, so each 128 steps along k are added, rounded, to sums in "
      "registers, 32 where k is short or C small; what is not finite is computed again in float; applies "
      "tiling, coalescing";
  static constexpr ErrorClass error_class = ErrorClass::split_factors;
  static constexpr std::string_view source = "Ootomo and Yokota 2022; CUTLASS";
};

}  // namespace tallcache::gpu::matmul
