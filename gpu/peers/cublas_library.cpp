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

cublasHandle_t cublas_handle(const Launch& launch, cublasMath_t mode) {
  // Never destroyed: at the end of the process the device is destroyed first.
  static auto& handles = *new std::map<int, cublasHandle_t>;
  int device = 0;
  TALLCACHE_CUDA(cudaGetDevice(&device));
  const CublasLibrary& cublas = cublas_library();
  cublasHandle_t& handle = handles[device];
  if (!handle) check_cublas(cublas.cublasCreate_v2(&handle), "cublasCreate");
  check_cublas(cublas.cublasSetStream_v2(handle, stream_of(launch)), "cublasSetStream");
  check_cublas(cublas.cublasSetMathMode(handle, mode), "cublasSetMathMode");
  return handle;
}

}  // namespace tallcache::gpu::peers
