#include "gpu/asynchronous_copy.cuh"
#include "gpu/check.hpp"
#include "gpu/matmul/warpgroup_product.cuh"
#include "gpu/tensor_peaks.hpp"

namespace tallcache::gpu {
namespace {

// Two warpgroups take turns: while one's instruction ends, the other's begins.
constexpr int steps = 4096, group = 8, warpgroups = 2, threads = warpgroups * 128, rows = 64, cols = 256;

struct Bfloat16Products {
  static constexpr int depth = 16;
  static constexpr std::uint32_t ones = 0x3f803f80;
  static __device__ void multiply(float (&sums)[128], std::uint32_t tile) {
    multiply_tiles_of_four_warps(sums, swizzled_tile(tile, 16, 1024), swizzled_tile(tile, 2048, 1024), 1);
  }
};

struct Tf32Products {
  static constexpr int depth = 8;
  static constexpr std::uint32_t ones = 0x3f800000;
  static __device__ void multiply(float (&sums)[128], std::uint32_t tile) {
    const std::uint32_t a[4] = {ones, ones, ones, ones};
    multiply_tf32_by_four_warps(sums, a, swizzled_tile(tile, 16, 1024), 1);
  }
};

template <class Products>
__global__ void __launch_bounds__(threads) products(double* out) {
  // 256 rows of 128 bytes: more than any factor takes.
  __shared__ alignas(1024) std::uint32_t tile[cols * 32];
  for (int i = threadIdx.x; i < cols * 32; i += threads) tile[i] = Products::ones;
  fence_stores_for_products();
  __syncthreads();
  float sums[128]{};
  for (int step = 0; step < steps; step += group) {
    begin_products();
#pragma unroll
    for (int i = 0; i < group; ++i) Products::multiply(sums, shared_address(tile));
    commit_products();
    wait_for_products<1>();
  }
  wait_for_products<0>();
  double total = 0;
  for (const float x : sums) total += x;
  if (blockIdx.x == 0 && threadIdx.x == 0) *out = total;
}

template <class Products>
void start(const void* erased, const Params&, const Launch& launch) {
  const auto& args = *static_cast<const PeakArgs*>(erased);
  products<Products><<<args.blocks, threads, 0, stream_of(launch)>>>(static_cast<double*>(args.out));
  check_launch();
}

template <class Products>
TensorUnit unit(std::string_view element) {
  return {.element = element,
          .multiply_adds = rows * cols * Products::depth,
          .instructions = double{warpgroups} * steps,
          .blocks_of_sm = 1,
          .sum = double{steps} * Products::depth * 128,
          .start = &start<Products>};
}

}  // namespace

std::vector<TensorUnit> warpgroup_units() {
  return {unit<Bfloat16Products>("bfloat16"), unit<Tf32Products>("tf32")};
}

}  // namespace tallcache::gpu
