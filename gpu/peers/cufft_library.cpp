#include "gpu/peers/cufft_library.hpp"

#include <fmt/format.h>

#include <map>
#include <memory>
#include <tuple>

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

CufftPlan::CufftPlan(Index n, bool is_float) : is_float_(is_float) {
  const CufftLibrary& cufft = cufft_library();
  if (!cufft.unavailable.empty()) throw Error(cufft.unavailable);
  check_cufft(cufft.cufftCreate(&handle_), "cufftCreate");
  try {
    check_cufft(cufft.cufftSetAutoAllocation(handle_, 0), "cufftSetAutoAllocation");
    long long size = n;
    check_cufft(cufft.cufftMakePlanMany64(handle_, 1, &size, nullptr, 1, n, nullptr, 1, n,
                                          is_float ? CUFFT_C2C : CUFFT_Z2Z, 1, &work_bytes_),
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
  if (is_float_)
    check_cufft(cufft.cufftExecC2C(handle_, static_cast<cufftComplex*>(from), static_cast<cufftComplex*>(out),
                                   CUFFT_FORWARD),
                "cufftExecC2C");
  else
    check_cufft(cufft.cufftExecZ2Z(handle_, static_cast<cufftDoubleComplex*>(from),
                                   static_cast<cufftDoubleComplex*>(out), CUFFT_FORWARD),
                "cufftExecZ2Z");
}

CufftPlan& cufft_plan(Index n, bool is_float) {
  // Never destroyed: at the end of the process the device is destroyed first.
  static auto& plans = *new std::map<std::tuple<int, Index, bool>, std::unique_ptr<CufftPlan>>;
  int device = 0;
  TALLCACHE_CUDA(cudaGetDevice(&device));
  std::unique_ptr<CufftPlan>& plan = plans[{device, n, is_float}];
  if (!plan) plan = std::make_unique<CufftPlan>(n, is_float);
  return *plan;
}

}  // namespace tallcache::gpu::peers
