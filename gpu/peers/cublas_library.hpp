// cuBLAS, loaded when a peer first calls it. A program that does not use it neither needs nor loads it.
#pragma once

#include <cublasLt.h>
#include <cublas_v2.h>

#include <string>

#include "gpu/check.hpp"
#include "gpu/on_gpu.hpp"

namespace tallcache::gpu::peers {

/// The functions of cuBLAS that peers call, by their names in the library.
struct CublasLibrary {
#define TALLCACHE_CUBLAS_FUNCTIONS(USE) \
  USE(cublasCreate_v2)                  \
  USE(cublasSetStream_v2)               \
  USE(cublasSetWorkspace_v2)            \
  USE(cublasSetMathMode)                \
  USE(cublasGetStatusString)            \
  USE(cublasSgemm_v2_64)                \
  USE(cublasDgemm_v2_64)                \
  USE(cublasSgemmStridedBatched_64)     \
  USE(cublasDgemmStridedBatched_64)     \
  USE(cublasGemmEx_64)                  \
  USE(cublasSgetrfBatched)              \
  USE(cublasDgetrfBatched)              \
  USE(cublasSgeam_64)                   \
  USE(cublasDgeam_64)
#define TALLCACHE_DECLARE(function) decltype(&::function) function = nullptr;
  TALLCACHE_CUBLAS_FUNCTIONS(TALLCACHE_DECLARE)
#undef TALLCACHE_DECLARE
  std::string unavailable;  ///< why it could not be loaded; empty when it was
};

const CublasLibrary& cublas_library();

/// The functions of cublasLt that its peer calls.
struct CublasLtLibrary {
#define TALLCACHE_CUBLAS_LT_FUNCTIONS(USE)  \
  USE(cublasLtCreate)                       \
  USE(cublasLtGetStatusString)              \
  USE(cublasLtMatmulDescCreate)             \
  USE(cublasLtMatmulDescDestroy)            \
  USE(cublasLtMatrixLayoutCreate)           \
  USE(cublasLtMatrixLayoutDestroy)          \
  USE(cublasLtMatmulPreferenceCreate)       \
  USE(cublasLtMatmulPreferenceDestroy)      \
  USE(cublasLtMatmulPreferenceSetAttribute) \
  USE(cublasLtMatmulAlgoGetHeuristic)       \
  USE(cublasLtMatmul)
#define TALLCACHE_DECLARE(function) decltype(&::function) function = nullptr;
  TALLCACHE_CUBLAS_LT_FUNCTIONS(TALLCACHE_DECLARE)
#undef TALLCACHE_DECLARE
  std::string unavailable;  ///< why it could not be loaded; empty when it was
};

const CublasLtLibrary& cublas_lt_library();

/// The reason why a peer of cuBLAS cannot run here; empty when it can.
struct OnCublas {
  static std::string unavailable();
};

/// The current device's handle, in the launch's stream and with `mode`, with a workspace of its own. Made at
/// the first call, which comes before any time; later ones set only what changed. For one thread at a time.
cublasHandle_t cublas_handle(const Launch&, cublasMath_t mode);

/// Throws Error "<call>: <what cuBLAS says>" unless `status` is success.
void check_cublas(cublasStatus_t status, const char* call);

}  // namespace tallcache::gpu::peers
