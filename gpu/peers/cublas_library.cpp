#include "gpu/peers/cublas_library.hpp"

#include <fmt/format.h>

#include <map>

#include "gpu/peers/opened_library.hpp"

namespace tallcache::gpu::peers {

#define TALLCACHE_FIND(function) opened.find(#function, library.function);

const CublasLibrary& cublas_library() {
  static const CublasLibrary found = [] {
    CublasLibrary library;
    const OpenedLibrary opened("libcublas", CUBLAS_VER_MAJOR, TALLCACHE_CUBLAS_FOLDER, library.unavailable);
    TALLCACHE_CUBLAS_FUNCTIONS(TALLCACHE_FIND)
    return library;
  }();
  return found;
}

const CublasLtLibrary& cublas_lt_library() {
  static const CublasLtLibrary found = [] {
    CublasLtLibrary library;
    const OpenedLibrary opened("libcublasLt", CUBLAS_VER_MAJOR, TALLCACHE_CUBLAS_FOLDER, library.unavailable);
    TALLCACHE_CUBLAS_LT_FUNCTIONS(TALLCACHE_FIND)
    return library;
  }();
  return found;
}
#undef TALLCACHE_FIND

std::string OnCublas::unavailable() {
  std::string reason = OnGpu::unavailable();
  return reason.empty() ? cublas_library().unavailable : reason;
}

void check_cublas(cublasStatus_t status, const char* call) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw Error(fmt::format("{}: {}", call, cublas_library().cublasGetStatusString(status)));
}

namespace {

// cuBLAS's own default on Hopper; a smaller one closes some of its kernels off.
constexpr std::size_t workspace_bytes = std::size_t{32} << 20;

struct Handle {
  cublasHandle_t handle = nullptr;
  void* workspace = nullptr;
  cudaStream_t stream = nullptr;
  cublasMath_t mode = CUBLAS_DEFAULT_MATH;
};

// In a workspace of the caller's nothing is allocated by a call, captured as a graph or not. Setting a stream
// takes the workspace away.
void set_stream(Handle& own, cudaStream_t stream) {
  const CublasLibrary& cublas = cublas_library();
  check_cublas(cublas.cublasSetStream_v2(own.handle, stream), "cublasSetStream");
  check_cublas(cublas.cublasSetWorkspace_v2(own.handle, own.workspace, workspace_bytes),
               "cublasSetWorkspace");
  own.stream = stream;
}

void make(Handle& own, cudaStream_t stream) {
  if (!own.workspace) TALLCACHE_CUDA(cudaMalloc(&own.workspace, workspace_bytes));
  cublasHandle_t handle = nullptr;
  check_cublas(cublas_library().cublasCreate_v2(&handle), "cublasCreate");
  own.handle = handle;
  set_stream(own, stream);
}

}  // namespace

cublasHandle_t cublas_handle(const Launch& launch, cublasMath_t mode) {
  // Never destroyed: at the end of the process the device is destroyed first.
  static auto& handles = *new std::map<int, Handle>;
  int device = 0;
  TALLCACHE_CUDA(cudaGetDevice(&device));
  Handle& own = handles[device];
  const cudaStream_t stream = stream_of(launch);
  if (!own.handle)
    make(own, stream);
  else if (own.stream != stream)
    set_stream(own, stream);
  if (own.mode != mode) {
    check_cublas(cublas_library().cublasSetMathMode(own.handle, mode), "cublasSetMathMode");
    own.mode = mode;
  }
  return own.handle;
}

}  // namespace tallcache::gpu::peers
