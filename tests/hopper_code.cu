#include "tests/hopper_code.hpp"

#if defined(__CUDA_ARCH__) && !defined(__CUDA_ARCH_FEAT_SM90_ALL)
#error "compiled for an architecture other than 90a"
#endif

namespace tallcache::test {
namespace {
__global__ void answer(int* out) {
#ifdef __CUDA_ARCH__
  asm volatile("wgmma.fence.sync.aligned;");  // an instruction of 90a that 90 lacks
  *out = __CUDA_ARCH__;
#endif
}
}  // namespace

int hopper_answer() {
  int *out = nullptr, result = 0;
  TALLCACHE_CUDA(cudaMalloc(&out, sizeof *out));
  answer<<<1, 128>>>(out);
  gpu::check_launch();
  TALLCACHE_CUDA(cudaMemcpy(&result, out, sizeof result, cudaMemcpyDeviceToHost));
  TALLCACHE_CUDA(cudaFree(out));
  return result;
}

}  // namespace tallcache::test
