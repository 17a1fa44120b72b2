// The product of bfloat16 matrices on Hopper's tensor cores.
#pragma once

#include "gpu/matmul/tensor_product.cuh"

namespace tallcache::gpu::matmul {

struct Bfloat16Kernels {
  using Large = TensorTiles<256, 4>;
  using Small = TensorTiles<128, 6>;
  template <class Tiles>
  static constexpr auto kernel = multiply_by_specialised_warps<Tiles>;
  static constexpr int steps_at_once = 1;
};

struct specialised_warps : TensorProduct<Matmul<Bfloat16>, Bfloat16, Bfloat16Kernels> {
  static constexpr std::string_view idea =
      "tensor cores: a warp copies tiles by TMA, two groups of four warps multiply 64 x 256 elements each by "
      "wgmma, blocks stay for all their tiles, as the recursion halves C; rows of no whole 16 bytes are "
      "copied first; applies tiling, coalescing";
  static constexpr std::string_view source =
      "M7: A cache-oblivious matrix multiplication algorithm, on the GPU; CUTLASS";
};

}  // namespace tallcache::gpu::matmul
