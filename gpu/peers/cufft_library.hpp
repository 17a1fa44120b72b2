// cuFFT, loaded when its peer first calls it. A program that does not use it neither needs nor loads it.
#pragma once

#include <cufft.h>

#include <compare>
#include <complex>
#include <cstddef>
#include <string>

#include "gpu/check.hpp"
#include "gpu/on_gpu.hpp"

namespace tallcache::gpu::peers {

/// The functions of cuFFT that its peer calls, by their names in the library.
struct CufftLibrary {
#define TALLCACHE_CUFFT_FUNCTIONS(USE) \
  USE(cufftCreate)                     \
  USE(cufftDestroy)                    \
  USE(cufftSetAutoAllocation)          \
  USE(cufftMakePlanMany64)             \
  USE(cufftSetStream)                  \
  USE(cufftSetWorkArea)                \
  USE(cufftExecZ2Z)                    \
  USE(cufftExecC2C)                    \
  USE(cufftExecD2Z)                    \
  USE(cufftExecR2C)
#define TALLCACHE_DECLARE(function) decltype(&::function) function = nullptr;
  TALLCACHE_CUFFT_FUNCTIONS(TALLCACHE_DECLARE)
#undef TALLCACHE_DECLARE
  std::string unavailable;  ///< why it could not be loaded; empty when it was
};

const CufftLibrary& cufft_library();

/// The reason why cuFFT cannot run here; empty when it can.
struct OnCufft {
  static std::string unavailable();
};

/// `count` transforms of n numbers each, one behind the other, or one of an array of `rows` x n in two
/// dimensions; of real numbers to complex ones where it `is_real`; of float or double.
struct CufftProblem {
  Index n, rows = 1, count = 1;
  bool is_real = false, is_float = false;
  auto operator<=>(const CufftProblem&) const = default;
};

/// A plan of cuFFT on the current device. It works in memory of its caller's.
class CufftPlan {
 public:
  explicit CufftPlan(const CufftProblem& problem);
  ~CufftPlan();
  CufftPlan(const CufftPlan&) = delete;
  CufftPlan& operator=(const CufftPlan&) = delete;

  std::size_t work_bytes() const { return work_bytes_; }
  /// out = the transform of in, in the stream of `launch`; `work` has work_bytes().
  void run(const Launch& launch, void* out, const void* in, void* work);

 private:
  cufftHandle handle_ = 0;
  CufftProblem problem_;
  std::size_t work_bytes_ = 0;
  cudaStream_t stream_ = nullptr;
  void* work_ = nullptr;
};

/// The current device's plan for one number or more: made when it is first asked for, which is before any
/// time, and kept, as a graph may refer to its tables. For one thread at a time.
CufftPlan& cufft_plan(const CufftProblem& problem);

}  // namespace tallcache::gpu::peers
