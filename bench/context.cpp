#include "bench/context.hpp"

#include <fmt/chrono.h>

#include "bench/machine_json.hpp"
#include "cpu/peers/blas.hpp"
#ifdef TALLCACHE_HAS_CUDA
#include "gpu/cuda_state.hpp"
#include "gpu/limits.hpp"
#endif

namespace tallcache {

const Machine& this_machine() {
  static const Machine machine = [] {
    Machine described = describe_machine();
    described.peers = cpu::peers::peer_cores();
#ifdef TALLCACHE_HAS_CUDA
    described.gpus_absent = cuda_state();
#endif
    return described;
  }();
  return machine;
}

Json machine_context() {
  Json context = nlohmann::json(this_machine());
  context["date"] = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  return context;
}

Json measured_gpu_limits([[maybe_unused]] int device) {
#ifdef TALLCACHE_HAS_CUDA
  try {
    const GpuLimits limits = measure_gpu_limits(device);
    return {{"gb_per_s", limits.gb_per_s},
            {"float_gflop_per_s", limits.float_gflop_per_s},
            {"double_gflop_per_s", limits.double_gflop_per_s}};
  } catch (const Error& error) {
    return {{"absent", error.what()}};
  }
#else
  return {{"absent", "built without CUDA"}};
#endif
}

}  // namespace tallcache
