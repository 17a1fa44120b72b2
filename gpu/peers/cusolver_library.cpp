#include "gpu/peers/cusolver_library.hpp"

#include <fmt/format.h>

#include <map>

#include "gpu/peers/opened_library.hpp"

namespace tallcache::gpu::peers {

const CusolverLibrary& cusolver_library() {
  static const CusolverLibrary found = [] {
    CusolverLibrary library;
    const OpenedLibrary opened("libcusolver", CUSOLVER_VER_MAJOR, TALLCACHE_CUSOLVER_FOLDER,
                               library.unavailable);
#define TALLCACHE_FIND(function) opened.find(#function, library.function);
    TALLCACHE_CUSOLVER_FUNCTIONS(TALLCACHE_FIND)
#undef TALLCACHE_FIND
    return library;
  }();
  return found;
}

std::string OnCusolver::unavailable() {
  std::string reason = OnGpu::unavailable();
  return reason.empty() ? cusolver_library().unavailable : reason;
}

void check_cusolver(cusolverStatus_t status, const char* call) {
  if (status != CUSOLVER_STATUS_SUCCESS)
    throw Error(fmt::format("{}: cuSOLVER's status {}", call, static_cast<int>(status)));
}

cusolverDnHandle_t cusolver_handle(const Launch& launch) {
  // Never destroyed: at the end of the process the device is destroyed first.
  static auto& handles = *new std::map<int, cusolverDnHandle_t>;
  int device = 0;
  TALLCACHE_CUDA(cudaGetDevice(&device));
  cusolverDnHandle_t& own = handles[device];
  if (!own) {
    cusolverDnHandle_t made = nullptr;
    check_cusolver(cusolver_library().cusolverDnCreate(&made), "cusolverDnCreate");
    own = made;
  }
  check_cusolver(cusolver_library().cusolverDnSetStream(own, stream_of(launch)), "cusolverDnSetStream");
  return own;
}

}  // namespace tallcache::gpu::peers
