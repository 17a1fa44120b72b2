// cuSOLVER's dense decompositions, loaded when a peer first calls them.
#pragma once

#include <cusolverDn.h>

#include <algorithm>
#include <limits>
#include <string>
#include <type_traits>

#include "gpu/check.hpp"
#include "gpu/on_gpu.hpp"

namespace tallcache::gpu::peers {

/// The functions of cuSOLVER that peers call, by their names in the library.
struct CusolverLibrary {
#define TALLCACHE_CUSOLVER_FUNCTIONS(USE)     \
  USE(cusolverDnCreate)                       \
  USE(cusolverDnSetStream)                    \
  USE(cusolverDnSgetrf_bufferSize)            \
  USE(cusolverDnDgetrf_bufferSize)            \
  USE(cusolverDnSgetrf)                       \
  USE(cusolverDnDgetrf)                       \
  USE(cusolverDnDgetrs)                       \
  USE(cusolverDnIRSParamsCreate)              \
  USE(cusolverDnIRSParamsSetSolverPrecisions) \
  USE(cusolverDnIRSParamsSetRefinementSolver) \
  USE(cusolverDnIRSInfosCreate)               \
  USE(cusolverDnIRSXgesv_bufferSize)          \
  USE(cusolverDnIRSXgesv)                     \
  USE(cusolverDnSgeqrf_bufferSize)            \
  USE(cusolverDnDgeqrf_bufferSize)            \
  USE(cusolverDnSgeqrf)                       \
  USE(cusolverDnDgeqrf)                       \
  USE(cusolverDnSpotrf_bufferSize)            \
  USE(cusolverDnDpotrf_bufferSize)            \
  USE(cusolverDnSpotrf)                       \
  USE(cusolverDnDpotrf)
#define TALLCACHE_DECLARE(function) decltype(&::function) function = nullptr;
  TALLCACHE_CUSOLVER_FUNCTIONS(TALLCACHE_DECLARE)
#undef TALLCACHE_DECLARE
  std::string unavailable;  ///< why it could not be loaded; empty when it was
};

const CusolverLibrary& cusolver_library();

/// The reason why a peer of cuSOLVER cannot run here; empty when it can.
struct OnCusolver {
  static std::string unavailable();
};

/// The current device's handle, in the stream of `launch`. Made at the first call, which comes before any
/// time. For one thread at a time.
cusolverDnHandle_t cusolver_handle(const Launch&);

/// Throws Error "<call>: cuSOLVER's status <number>" unless `status` is success.
void check_cusolver(cusolverStatus_t status, const char* call);

/// Of a function of cuSOLVER's for floats and one for doubles, that for T.
template <class T, class OfFloat, class OfDouble>
constexpr auto by_type(OfFloat of_float, OfDouble of_double) {
  if constexpr (std::is_same_v<T, float>)
    return of_float;
  else
    return of_double;
}

/// The elements of workspace that `query(library, handle, &elements)` asks for; 0 where there is no cuSOLVER.
template <class Query>
std::size_t cusolver_workspace(const Query& query) {
  if (!OnCusolver::unavailable().empty()) return 0;
  int elements = 0;
  check_cusolver(query(cusolver_library(), cusolver_handle({}), &elements), "cusolverDn's buffer size");
  return static_cast<std::size_t>(elements);
}

/// The elements that fit into what is left of `scratch`: a query in each call would be in its time.
template <class T>
Index workspace_left(const Scratch<>& scratch) {
  return std::min<Index>(static_cast<Index>(scratch.bytes_left() / sizeof(T)),
                         std::numeric_limits<int>::max());
}

}  // namespace tallcache::gpu::peers
