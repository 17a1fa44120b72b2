// Three TF32 products as the tensor cores add them: faster, and less exact than float.
#pragma once

#include "gpu/matmul/split_launch.cuh"

namespace tallcache::gpu::matmul {

struct three_truncated : ThreeProducts<false> {
  static constexpr std::string_view idea =
      "three_products, but the tensor cores make all sums, and truncate them: errors of ten times float's "
      "and more, growing with k; applies tiling, coalescing";
  static constexpr ErrorClass error_class = ErrorClass::truncated_sums;
  static constexpr std::string_view source = "Ootomo and Yokota 2022; CUTLASS";
};

}  // namespace tallcache::gpu::matmul
