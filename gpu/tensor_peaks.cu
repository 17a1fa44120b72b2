#include "gpu/tensor_peaks.hpp"

#include "gpu/check.hpp"
#include "gpu/matmul/mma_product.cuh"

namespace tallcache::gpu {
namespace {

// Independent sums of a warp hide the instruction's latency. They begin differently: of equal ones the
// compiler would compute one.
constexpr int chains = 8, steps = 1024, threads = 256, depth = 8;

__global__ void __launch_bounds__(threads) products_of_double(double* out) {
  double sums[chains][4];
#pragma unroll
  for (int chain = 0; chain < chains; ++chain)
    for (double& x : sums[chain]) x = chain + 1;
  const double a[4] = {1, 1, 1, 1}, b[2] = {1, 1};
  for (int step = 0; step < steps; ++step)
#pragma unroll
    for (int chain = 0; chain < chains; ++chain) matmul::multiply_by_warp(sums[chain], a, b);
  double total = 0;
  for (const auto& sum : sums)
    for (const double x : sum) total += x;
  if (blockIdx.x == 0 && threadIdx.x == 0) *out = total;
}

void start_double(const void* erased, const Params&, const Launch& launch) {
  const auto& args = *static_cast<const PeakArgs*>(erased);
  products_of_double<<<args.blocks, threads, 0, stream_of(launch)>>>(static_cast<double*>(args.out));
  check_launch();
}

}  // namespace

std::vector<TensorUnit> tensor_units(int device) {
  int major = 0, minor = 0;
  TALLCACHE_CUDA(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  TALLCACHE_CUDA(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device));
  std::vector<TensorUnit> units;
  if (major == 9 && minor == 0) units = warpgroup_units();
  if (major >= 8)
    units.push_back({.element = "double",
                     .multiply_adds = 16 * 8 * depth,
                     .instructions = double{threads} / 32 * steps * chains,
                     .blocks_of_sm = 2,
                     .sum = (double{steps} * depth * chains + chains * (chains + 1) / 2) * 4,
                     .start = &start_double});
  return units;
}

}  // namespace tallcache::gpu
