#include "bench/studies/misses/requests.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <memory>
#include <optional>

#include "bench/measure/interrupt.hpp"
#include "common/backend.hpp"
#include "common/papi/simulated.hpp"
#include "common/warp/l2.hpp"
#include "gpu/kernel_text.hpp"
#include "gpu/widths.hpp"

namespace tallcache {
namespace {

using cache::AccessKind;
using cache::RequestCounts;
using cache::Space;

struct CountedKind {
  const char* name;
  Space space;
  AccessKind kind;
  /// What PAPI reads them as; sectors or wavefronts come next.
  std::optional<Simulated> requests{};
};
constexpr std::array counted_kinds{
    CountedKind{"global load", Space::global, AccessKind::load, Simulated::gpu_global_load_requests},
    CountedKind{"global store", Space::global, AccessKind::store, Simulated::gpu_global_store_requests},
    CountedKind{"global atomic", Space::global, AccessKind::atomic, Simulated::gpu_global_atomic_requests},
    CountedKind{"shared load", Space::shared, AccessKind::load, Simulated::gpu_shared_load_requests},
    CountedKind{"shared store", Space::shared, AccessKind::store, Simulated::gpu_shared_store_requests},
    CountedKind{"shared atomic", Space::shared, AccessKind::atomic, Simulated::gpu_shared_atomic_requests},
    CountedKind{"global copy", Space::global, AccessKind::copy},
    CountedKind{"shared copy", Space::shared, AccessKind::copy}};

constexpr Simulated parts_of(Simulated requests) {
  return static_cast<Simulated>(static_cast<int>(requests) + 1);
}

// PAPI reads it as a software-defined event.
void publish(Simulated event, double count) {
  simulated_counters().publish({event});
  simulated_counters().add(event, std::llround(count));
}

// The widths that a compiler made of the texts are known for one architecture.
const warp::CompiledWidths* widths_for(const cache::WarpMachine& machine) {
  const warp::CompiledWidths& widths = gpu::compiled_widths();
  return machine.architecture == widths.architecture ? &widths : nullptr;
}

Quantity modelled(std::string name, const cache::WarpMachine& machine) {
  std::string model(machine.name);
  if (const warp::CompiledWidths* widths = widths_for(machine))
    model += fmt::format(", with the widths of {} for {}", widths->compiler, widths->architecture);
  return {.name = std::move(name), .unit = "1", .origin = Origin::model, .detail = std::move(model)};
}

const gpu::KernelText* text_of(const Variant& variant) {
  for (const gpu::KernelText* text : gpu::kernel_texts())
    if (text->operation == variant.operation && text->name == variant.name) return text;
  return nullptr;
}

// Why the text of a candidate is not modelled; empty when it is.
std::string no_model(const Candidate& candidate, const gpu::KernelText* text) {
  if (text) return {};
  return candidate.variant->peer ? "a library: not modelled" : "kernels for CUDA alone: not modelled";
}

void put_requests(Record& record, const cache::WarpMachine& machine, const warp::HostDevice* model,
                  const std::string& absent) {
  for (const CountedKind& counted : counted_kinds) {
    Quantity requests = modelled(fmt::format("{} requests", counted.name), machine);
    const bool global = counted.space == Space::global;
    Quantity parts = modelled(fmt::format("{} {}", counted.name, global ? "sectors" : "wavefronts"), machine);
    requests.reason = parts.reason = absent;
    if (model) {
      const RequestCounts total = model->total(counted.space, counted.kind);
      requests.value = static_cast<double>(total.requests);
      parts.value = static_cast<double>(global ? total.sectors : total.wavefronts);
      if (counted.requests) {
        publish(*counted.requests, requests.value);
        publish(parts_of(*counted.requests), parts.value);
      }
    }
    record.quantities.push_back(std::move(requests));
    record.quantities.push_back(std::move(parts));
  }
}

// The second-level cache and the memory, as a second run finds them: the counters' runs follow others too.
void put_l2(Record& record, const cache::WarpMachine& machine, const warp::L2::Counts& counts) {
  const std::string detail =
      fmt::format("LRU of {} MiB in lines of {} bytes, fed block by block, the second run",
                  machine.l2_bytes >> 20, warp::L2::line_bytes);
  const auto put = [&](const char* name, const char* unit, double value) {
    record.quantities.push_back(
        {.name = name, .unit = unit, .value = value, .origin = Origin::model, .detail = detail});
  };
  put("L2 sectors", "1", static_cast<double>(counts.sectors));
  if (counts.sectors) put("L2 hit rate", "%", 100 * counts.hit_rate());
  put("DRAM bytes read", "B", static_cast<double>(counts.bytes_read));
  put("DRAM bytes written", "B", static_cast<double>(counts.bytes_written));
}

Outcome put_model(Record& record, const Problem& problem, const Candidate& candidate,
                  const cache::WarpMachine& machine) {
  const gpu::KernelText* text = text_of(*candidate.variant);
  if (!text) {
    put_requests(record, machine, nullptr, no_model(candidate, text));
    return {Status::measured};
  }
  warp::HostDevice model(machine);
  if (const warp::CompiledWidths* widths = widths_for(machine)) model.use(*widths);
  std::optional<warp::L2> l2;
  if (machine.l2_bytes) l2.emplace(machine.l2_bytes);
  model.recorder().observe([&](const warp::Site&, const cache::WarpRequest& request) {
    stop_if_interrupted();
    if (l2) l2->consume(machine, request);
  });
  const gpu::TextProblem traced(*text, problem.shape, candidate.params, problem.input, problem.seed);
  traced.run(model);
  if (const Check check = traced.check(); !check) return {Status::wrong, check.message()};
  put_requests(record, machine, &model, {});
  if (l2) {
    l2->clear();
    model.recorder().only_observe();
    traced.run(model);
    put_l2(record, machine, l2->counts());
  }
  return {Status::measured};
}

double counted_value(const Record& record, const std::string& name) {
  const Quantity* quantity = record.find(name, Json::object(), Origin::event);
  return quantity ? quantity->value : no_value;
}

// PAPI reads what the device counted as software-defined events, too.
void publish_counts(const Record& record) {
  for (const CountedKind& counted : counted_kinds)
    for (const bool parts : {false, true}) {
      if (!counted.requests) continue;
      const char* part = !parts ? "requests" : counted.space == Space::global ? "sectors" : "wavefronts";
      double sum = counted_value(record, fmt::format("{} {}", counted.name, part));
      if (counted.requests == Simulated::gpu_global_atomic_requests)
        sum += counted_value(record, fmt::format("global reduction {}", part));
      if (!std::isnan(sum)) publish(of_device(parts ? parts_of(*counted.requests) : *counted.requests), sum);
    }
}

/// The devices' executor and arrays, where a device is there.
struct OnDevice {
  std::unique_ptr<Executor> executor;
  std::unique_ptr<Workspace> workspace;

  OnDevice(const Backend& backend, const Problem& problem, const Candidate& first, int device) {
    if (!first.variant->unavailable().empty()) return;
    executor = backend.make_executor(device);
    workspace = std::make_unique<Workspace>(problem, *executor);
  }
};

/// What the device's counters have of the candidate. Without a device they have the reason.
Record counted(const Problem& problem, const Candidate& candidate, const Backend& backend, int device,
               Workspace* workspace) {
  Record record = to_record(problem, candidate);
  record.outcome.status = Status::measured;
  if (!candidate.variant->supports(problem.shape))
    record.outcome = {Status::unsupported, "does not support this shape"};
  else if (workspace)
    if (const Check check = workspace->verify(candidate); !check)
      record.outcome = {Status::wrong, check.message()};
  if (!record.outcome.measured() || !backend.count) return record;
  put_counts(record, backend.count(device,
                                   {.run = [&] { workspace->run(candidate); },
                                    .prepare =
                                        [&] {
                                          stop_if_interrupted();
                                          workspace->renew_inputs();
                                        }},
                                   {}));
  publish_counts(record);
  return record;
}

}  // namespace

void count_requests(const Problem& problem, std::span<const Candidate> candidates,
                    const cache::WarpMachine& machine, int device, Document& document,
                    const std::function<void()>& keep) {
  const Backend& backend = find_backend(candidates.front().variant->backend);
  {
    const OnDevice on_device(backend, problem, candidates.front(), device);
    for (const Candidate& candidate : candidates) {
      document.put(counted(problem, candidate, backend, device, on_device.workspace.get()));
      keep();
    }
  }
  for (const Candidate& candidate : candidates) {
    Record record = to_record(problem, candidate);
    const Record counts = *document.find(record);
    record.outcome = counts.outcome;
    if (record.outcome.measured()) {
      record.outcome = put_model(record, problem, candidate, machine);
      std::ranges::copy(counts.quantities, std::back_inserter(record.quantities));
    }
    document.put(std::move(record));
    keep();
  }
}

}  // namespace tallcache
