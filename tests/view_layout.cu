#include "tests/view_layout.hpp"

#include "gpu/check.hpp"

namespace tallcache::test {
namespace {
__global__ void look(Views views, Seen* out) { *out = seen(views); }
}  // namespace

Seen seen_by_nvcc(const Views& views) { return seen(views); }

Seen seen_by_kernel(const Views& views) {
  Seen *out = nullptr, result;
  TALLCACHE_CUDA(cudaMalloc(&out, sizeof *out));
  look<<<1, 1>>>(views, out);
  gpu::check_launch();
  TALLCACHE_CUDA(cudaMemcpy(&result, out, sizeof result, cudaMemcpyDeviceToHost));
  TALLCACHE_CUDA(cudaFree(out));
  return result;
}

}  // namespace tallcache::test
