#include "common/measure/executor.hpp"
#ifdef TALLCACHE_HAS_CUDA
#include "gpu/cuda_executor.hpp"
#endif

namespace tallcache {

std::unique_ptr<Executor> make_executor(Backend backend, [[maybe_unused]] int device) {
  if (backend == Backend::cpu) return make_host_executor();
#ifdef TALLCACHE_HAS_CUDA
  return make_cuda_executor(device);
#else
  throw Error("this build has no GPU backend: build it where there is a CUDA compiler", Status::unavailable);
#endif
}

}  // namespace tallcache
