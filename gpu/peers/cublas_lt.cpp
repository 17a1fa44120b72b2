#include "gpu/peers/cublas_lt.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <list>
#include <memory>

namespace tallcache::gpu::peers {
namespace {

constexpr std::size_t workspace_bytes = std::size_t{32} << 20;
constexpr int max_heuristics = 8;

void check(cublasStatus_t status, const char* call) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw Error(fmt::format("{}: {}", call, cublas_lt_library().cublasLtGetStatusString(status)));
}

struct Destroy {
  void operator()(cublasLtMatmulDescOpaque_t* p) const { cublas_lt_library().cublasLtMatmulDescDestroy(p); }
  void operator()(cublasLtMatrixLayoutOpaque_t* p) const {
    cublas_lt_library().cublasLtMatrixLayoutDestroy(p);
  }
  void operator()(cublasLtMatmulPreferenceOpaque_t* p) const {
    cublas_lt_library().cublasLtMatmulPreferenceDestroy(p);
  }
};
template <class T>
using Owned = std::unique_ptr<T, Destroy>;

// Of a row-major matrix, which is the transposed one to the library.
Owned<cublasLtMatrixLayoutOpaque_t> layout(cudaDataType_t type, Index rows, Index cols, Index ld) {
  cublasLtMatrixLayout_t made = nullptr;
  check(cublas_lt_library().cublasLtMatrixLayoutCreate(&made, type, cols, rows, ld),
        "cublasLtMatrixLayoutCreate");
  return Owned<cublasLtMatrixLayoutOpaque_t>(made);
}

// The largest power of two, up to 256, that divides the address.
std::uint32_t alignment(const void* place) {
  const auto address = reinterpret_cast<std::uintptr_t>(place) | 256;
  return static_cast<std::uint32_t>(address & -address);
}

// So long the runs of a kernel take together, in seconds.
constexpr double timed_seconds = 0.5e-3;

struct Event {
  Event() { TALLCACHE_CUDA(cudaEventCreate(&event)); }
  ~Event() { cudaEventDestroy(event); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  cudaEvent_t event = nullptr;
};

// What is made once on a device, and never destroyed: at the end of the process the device is first.
struct OnDevice {
  int device;
  cublasLtHandle_t handle;
  void* workspace;
};

const OnDevice& on_this_device() {
  static auto& made = *new std::list<OnDevice>;
  int device = 0;
  TALLCACHE_CUDA(cudaGetDevice(&device));
  for (const OnDevice& one : made)
    if (one.device == device) return one;
  OnDevice own{device, nullptr, nullptr};
  TALLCACHE_CUDA(cudaMalloc(&own.workspace, workspace_bytes));
  check(cublas_lt_library().cublasLtCreate(&own.handle), "cublasLtCreate");
  return made.emplace_back(own);
}

// The fastest of the heuristics for products of one kind.
class Plan {
 public:
  Plan(const Launch& launch, const LtProduct& product)
      : here_(on_this_device()),
        product_(product),
        a_(layout(product.types.factors, product.m, product.k, product.lda)),
        b_(layout(product.types.factors, product.k, product.n, product.ldb)),
        c_(layout(product.types.sums, product.m, product.n, product.ldc)) {
    cublasLtMatmulDesc_t made = nullptr;
    check(cublas_lt_library().cublasLtMatmulDescCreate(&made, product.types.compute, product.types.sums),
          "cublasLtMatmulDescCreate");
    operation_.reset(made);
    choose(stream_of(launch));
  }

  bool fits(const LtProduct& p) const {
    const LtProduct& own = product_;
    int device = 0;
    TALLCACHE_CUDA(cudaGetDevice(&device));
    return device == here_.device && p.types == own.types && p.m == own.m && p.n == own.n && p.k == own.k &&
           p.lda == own.lda && p.ldb == own.ldb && p.ldc == own.ldc && alignment(p.a) == alignment(own.a) &&
           alignment(p.b) == alignment(own.b) && alignment(p.c) == alignment(own.c);
  }

  void run(const LtProduct& p, cudaStream_t stream) const {
    check(start(p, algorithm_, stream), "cublasLtMatmul");
  }

 private:
  // C^T = B^T A^T.
  cublasStatus_t start(const LtProduct& p, const cublasLtMatmulAlgo_t& algorithm, cudaStream_t stream) const {
    const double one = 1, zero = 0;
    const float one_float = 1, zero_float = 0;
    const bool is_double = p.types.sums == CUDA_R_64F;
    return cublas_lt_library().cublasLtMatmul(
        here_.handle, operation_.get(), is_double ? static_cast<const void*>(&one) : &one_float, p.b,
        b_.get(), p.a, a_.get(), is_double ? static_cast<const void*>(&zero) : &zero_float, p.c, c_.get(),
        p.c, c_.get(), &algorithm, here_.workspace, workspace_bytes, stream);
  }

  Owned<cublasLtMatmulPreferenceOpaque_t> preference() const {
    const CublasLtLibrary& library = cublas_lt_library();
    cublasLtMatmulPreference_t made = nullptr;
    check(library.cublasLtMatmulPreferenceCreate(&made), "cublasLtMatmulPreferenceCreate");
    Owned<cublasLtMatmulPreferenceOpaque_t> own(made);
    const auto set = [&](cublasLtMatmulPreferenceAttributes_t what, auto value) {
      check(library.cublasLtMatmulPreferenceSetAttribute(made, what, &value, sizeof value),
            "cublasLtMatmulPreferenceSetAttribute");
    };
    set(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, workspace_bytes);
    set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, alignment(product_.b));
    set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, alignment(product_.a));
    set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, alignment(product_.c));
    set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, alignment(product_.c));
    return own;
  }

  void choose(cudaStream_t stream) {
    cudaStreamCaptureStatus status{};
    TALLCACHE_CUDA(cudaStreamIsCapturing(stream, &status));
    if (status != cudaStreamCaptureStatusNone)
      throw Error("cublas_lt times its kernels in the first call, which cannot be part of a graph");
    cublasLtMatmulHeuristicResult_t results[max_heuristics]{};
    int count = 0;
    check(cublas_lt_library().cublasLtMatmulAlgoGetHeuristic(here_.handle, operation_.get(), b_.get(),
                                                             a_.get(), c_.get(), c_.get(), preference().get(),
                                                             max_heuristics, results, &count),
          "cublasLtMatmulAlgoGetHeuristic");
    double best = std::numeric_limits<double>::infinity();
    for (int i = 0; i < count; ++i)
      if (const double seconds = seconds_of(results[i].algo, stream); seconds < best) {
        best = seconds;
        algorithm_ = results[i].algo;
      }
    if (count == 0) throw Error("cublasLt proposes no kernel for these sizes", Status::unsupported);
  }

  // Infinite when it cannot run. The first run pays for loading the kernel.
  double seconds_of(const cublasLtMatmulAlgo_t& algorithm, cudaStream_t stream) const {
    if (start(product_, algorithm, stream) != CUBLAS_STATUS_SUCCESS)
      return std::numeric_limits<double>::infinity();
    const Event begin, end;
    const auto run_times = [&](int times) {
      TALLCACHE_CUDA(cudaEventRecord(begin.event, stream));
      for (int i = 0; i < times; ++i) check(start(product_, algorithm, stream), "cublasLtMatmul");
      TALLCACHE_CUDA(cudaEventRecord(end.event, stream));
      TALLCACHE_CUDA(cudaEventSynchronize(end.event));
      float milliseconds = 0;
      TALLCACHE_CUDA(cudaEventElapsedTime(&milliseconds, begin.event, end.event));
      return milliseconds * 1e-3 / times;
    };
    const double once = run_times(1);
    return once > timed_seconds ? once : run_times(1 + static_cast<int>(timed_seconds / once));
  }

  const OnDevice& here_;
  LtProduct product_;
  Owned<cublasLtMatrixLayoutOpaque_t> a_, b_, c_;
  Owned<cublasLtMatmulDescOpaque_t> operation_;
  cublasLtMatmulAlgo_t algorithm_{};
};

}  // namespace

std::string cublas_lt::unavailable() {
  std::string reason = OnGpu::unavailable();
  return reason.empty() ? cublas_lt_library().unavailable : reason;
}

void cublas_lt_product(const Launch& launch, const LtProduct& product) {
  static auto& plans = *new std::list<Plan>;  // never destroyed, as in OnDevice
  auto plan = std::ranges::find_if(plans, [&](const Plan& known) { return known.fits(product); });
  if (plan == plans.end()) plan = plans.emplace(plans.end(), launch, product);
  plan->run(product, stream_of(launch));
}

}  // namespace tallcache::gpu::peers
