#include "gpu/peers/cufft_library.hpp"

#include <fmt/format.h>

#include <map>
#include <memory>
#include <utility>

#include "gpu/peers/opened_library.hpp"

namespace tallcache::gpu::peers {

namespace {

void check_cufft(cufftResult result, const char* call) {
  if (result != CUFFT_SUCCESS) throw Error(fmt::format("{}: error {} of cuFFT", call, int{result}));
}

}  // namespace

const CufftLibrary& cufft_library() {
  static const CufftLibrary found = [] {
    CufftLibrary library;
    const OpenedLibrary opened("libcufft", CUFFT_VER_MAJOR, TALLCACHE_CUFFT_FOLDER, library.unavailable);
#define TALLCACHE_FIND(function) opened.find(#function, library.function);
    TALLCACHE_CUFFT_FUNCTIONS(TALLCACHE_FIND)
#undef TALLCACHE_FIND
    return library;
  }();
  return found;
}

std::string OnCufft::unavailable() {
  std::string reason = OnGpu::unavailable();
  return reason.empty() ? cufft_library().unavailable : reason;
}

CufftPlan::CufftPlan(const CufftProblem& problem) : problem_(problem) {
  const CufftLibrary& cufft = cufft_library();
  if (!cufft.unavailable.empty()) throw Error(cufft.unavailable);
  check_cufft(cufft.cufftCreate(&handle_), "cufftCreate");
  try {
    check_cufft(cufft.cufftSetAutoAllocation(handle_, 0), "cufftSetAutoAllocation");
    const auto [n, rows, count, is_real, is_float] = problem;
    long long sizes[] = {rows, n};
    const int rank = rows > 1 ? 2 : 1;
    const cufftType type = is_real ? (is_float ? CUFFT_R2C : CUFFT_D2Z) : is_float ? CUFFT_C2C : CUFFT_Z2Z;
    check_cufft(cufft.cufftMakePlanMany64(handle_, rank, sizes + 2 - rank, nullptr, 1, rows * n, nullptr, 1,
                                          rows * n, type, count, &work_bytes_),
                "cufftMakePlanMany64");
  } catch (...) {
    cufft.cufftDestroy(handle_);
    throw;
  }
}

CufftPlan::~CufftPlan() { cufft_library().cufftDestroy(handle_); }

void CufftPlan::run(const Launch& launch, void* out, const void* in, void* work) {
  const CufftLibrary& cufft = cufft_library();
  if (const cudaStream_t stream = stream_of(launch); stream != stream_) {
    check_cufft(cufft.cufftSetStream(handle_, stream), "cufftSetStream");
    stream_ = stream;
  }
  if (work_bytes_ && work != work_) {
    check_cufft(cufft.cufftSetWorkArea(handle_, work), "cufftSetWorkArea");
    work_ = work;
  }
  // Out of place, the library leaves its input as it is.
  void* const from = const_cast<void*>(in);
  if (problem_.is_real && problem_.is_float)
    check_cufft(cufft.cufftExecR2C(handle_, static_cast<cufftReal*>(from), static_cast<cufftComplex*>(out)),
                "cufftExecR2C");
  else if (problem_.is_real)
    check_cufft(cufft.cufftExecD2Z(handle_, static_cast<cufftDoubleReal*>(from),
                                   static_cast<cufftDoubleComplex*>(out)),
                "cufftExecD2Z");
  else if (problem_.is_float)
    check_cufft(cufft.cufftExecC2C(handle_, static_cast<cufftComplex*>(from), static_cast<cufftComplex*>(out),
                                   CUFFT_FORWARD),
                "cufftExecC2C");
  else
    check_cufft(cufft.cufftExecZ2Z(handle_, static_cast<cufftDoubleComplex*>(from),
                                   static_cast<cufftDoubleComplex*>(out), CUFFT_FORWARD),
                "cufftExecZ2Z");
}

CufftPlan& cufft_plan(const CufftProblem& problem) {
  // Never destroyed: at the end of the process the device is destroyed first.
  static auto& plans = *new std::map<std::pair<int, CufftProblem>, std::unique_ptr<CufftPlan>>;
  int device = 0;
  TALLCACHE_CUDA(cudaGetDevice(&device));
  std::unique_ptr<CufftPlan>& plan = plans[{device, problem}];
  if (!plan) plan = std::make_unique<CufftPlan>(problem);
  return *plan;
}

}  // namespace tallcache::gpu::peers
