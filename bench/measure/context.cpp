#include "bench/measure/context.hpp"

#include <fmt/chrono.h>
#include <nlohmann/json.hpp>

#include <set>

#include "bench/results/machine_json.hpp"
#include "bench/results/tuning_file.hpp"
#include "common/backend.hpp"
#include "common/catalogue.hpp"
#include "common/error.hpp"
#include "common/fork/policy.hpp"

namespace tallcache {
namespace {

void add_backend(Machine& machine, const Backend& backend) {
  if (backend.host) return;
  machine.gpus_absent.clear();
  for (Device& device : backend.devices()) machine.gpus.push_back(std::move(device));
  machine.cuda += (machine.cuda.empty() ? "" : "; ") + backend.versions();
}

}  // namespace

const Machine& this_machine() {
  static const Machine machine = [] {
    Machine described = describe_machine();
    described.build = describe_build();
    described.counters = describe_counters();
    described.gpus_absent = "built without CUDA";
    for (const Backend* backend : backends()) add_backend(described, *backend);
    if (described.gpus.empty() && described.gpus_absent.empty()) described.gpus_absent = described.cuda;
    return described;
  }();
  return machine;
}

std::vector<std::pair<std::string, std::string>> peer_libraries() {
  std::vector<std::pair<std::string, std::string>> libraries;
  std::set<std::string_view> seen;
  for (const Variant* peer : variants()) {
    if (!peer->peer || !peer->prepare || !seen.insert(peer->name).second) continue;
    const std::string reason = peer->unavailable();
    libraries.emplace_back(peer->name, reason.empty()
                                           ? peer->runs_as(peer->operation->bench_shapes().front(), 1)
                                           : "unavailable: " + reason);
  }
  return libraries;
}

Json machine_context(int device) {
  const auto& gpus = this_machine().gpus;
  const bool usable = device >= 0 && device < static_cast<int>(gpus.size()) && gpus[device].unusable.empty();
  Json context = nlohmann::json(this_machine());
  context["gpu"] = usable ? gpus[device].name : "none";
  context["fork"] = name_of(fork_policy());
  if (!gpu::user_records().empty()) context["tuning"] = to_json(gpu::user_records())["records"];
  context["date"] = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  return context;
}

void require_device(int device) {
  bool host_alone = true;
  for (const Backend* backend : backends()) {
    if (const std::string fault = backend->device_fault(device); !fault.empty())
      throw Error(fmt::format("the {} cannot be used: {}", backend->title, fault));
    host_alone = host_alone && backend->host;
  }
  if (host_alone && device != 0) throw Error("the GPU cannot be used: built without CUDA");
}

}  // namespace tallcache
