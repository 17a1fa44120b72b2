#include "bench/context.hpp"

#include <fmt/chrono.h>

#include "bench/machine_json.hpp"
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

}  // namespace tallcache
