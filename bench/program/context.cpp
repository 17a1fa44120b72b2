#include "bench/program/context.hpp"

#include <fmt/chrono.h>

#include "bench/report/machine_json.hpp"
#include "common/error.hpp"
#include "cpu/peers/blas.hpp"
#ifdef TALLCACHE_HAS_CUDA
#include "gpu/cuda_state.hpp"
#endif

namespace tallcache {

const Machine& this_machine() {
  static const Machine machine = [] {
    Machine described = describe_machine();
    described.peers = cpu::peers::peer_cores();
#ifdef TALLCACHE_HAS_CUDA
    described.cuda = cuda_versions();
    described.gpus_absent = cuda_devices().empty() ? described.cuda : "";
    for (const GpuFacts& gpu : cuda_devices())
      described.gpus.push_back(
          {gpu.name, gpu.compute_capability, gpu.multiprocessors, gpu.memory_bytes, gpu.unusable});
#endif
    return described;
  }();
  return machine;
}

Json machine_context(int device) {
  const auto& gpus = this_machine().gpus;
  const bool usable = device >= 0 && device < static_cast<int>(gpus.size()) && gpus[device].unusable.empty();
  Json context = nlohmann::json(this_machine());
  context["gpu"] = usable ? gpus[device].name : "none";
  context["date"] = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  return context;
}

void require_device([[maybe_unused]] int device) {
#ifdef TALLCACHE_HAS_CUDA
  if (const std::string fault = device_fault(device); !fault.empty())
    throw Error("the GPU cannot be used: " + fault);
#else
  if (device != 0) throw Error("the GPU cannot be used: built without CUDA");
#endif
}

}  // namespace tallcache
