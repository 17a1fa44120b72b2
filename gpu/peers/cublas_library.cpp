#include "gpu/peers/cublas_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <map>

namespace tallcache::gpu::peers {

const CublasLibrary& cublas_library() {
  static const CublasLibrary library = [] {
    CublasLibrary cublas;
    // The types of the functions are those of the headers.
    const std::string soname = fmt::format("libcublas.so.{}", CUBLAS_VER_MAJOR);
    void* handle = dlopen(soname.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle)
      handle = dlopen(fmt::format("{}/{}", TALLCACHE_CUBLAS_FOLDER, soname).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
      cublas.unavailable = fmt::format("{} cannot be loaded", soname);
      return cublas;
    }
#define TALLCACHE_FIND(function)                                                           \
  cublas.function = reinterpret_cast<decltype(cublas.function)>(dlsym(handle, #function)); \
  if (!cublas.function) cublas.unavailable = fmt::format("{} has no {}", soname, #function);
    TALLCACHE_CUBLAS_FUNCTIONS(TALLCACHE_FIND)
#undef TALLCACHE_FIND
    return cublas;
  }();
  return library;
}

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
