#include "bench/misses/requests.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>

#include "common/backend.hpp"
#include "gpu/kernel_text.hpp"

namespace tallcache {
namespace {

using cache::AccessKind;
using cache::RequestCounts;
using cache::Space;

struct CountedKind {
  const char* name;
  Space space;
  AccessKind kind;
};
constexpr std::array counted_kinds{CountedKind{"global load", Space::global, AccessKind::load},
                                   CountedKind{"global store", Space::global, AccessKind::store},
                                   CountedKind{"shared load", Space::shared, AccessKind::load},
                                   CountedKind{"shared store", Space::shared, AccessKind::store}};

Quantity modelled(std::string name, const cache::WarpMachine& machine) {
  return {.name = std::move(name), .unit = "1", .origin = Origin::model, .detail = std::string(machine.name)};
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

Outcome put_model(Record& record, const Problem& problem, const Candidate& candidate,
                  const cache::WarpMachine& machine) {
  const gpu::KernelText* text = text_of(*candidate.variant);
  std::optional<warp::HostDevice> model;
  if (text) {
    const Check check = gpu::run_kernel_text(model.emplace(machine), *text, problem.shape, candidate.params,
                                             problem.input, problem.seed);
    if (!check) return {Status::wrong, check.message()};
  }
  for (const CountedKind& counted : counted_kinds) {
    Quantity requests = modelled(fmt::format("{} requests", counted.name), machine);
    const bool global = counted.space == Space::global;
    Quantity parts = modelled(fmt::format("{} {}", counted.name, global ? "sectors" : "wavefronts"), machine);
    if (model) {
      const RequestCounts total = model->total(counted.space, counted.kind);
      requests.value = static_cast<double>(total.requests);
      parts.value = static_cast<double>(global ? total.sectors : total.wavefronts);
    } else {
      requests.reason = parts.reason = no_model(candidate, text);
    }
    record.quantities.push_back(std::move(requests));
    record.quantities.push_back(std::move(parts));
  }
  return {Status::measured};
}

void put_counts(Record& record, const std::vector<DeviceCount>& counts) {
  for (const DeviceCount& count : counts) {
    Quantity quantity{.name = std::string(count.quantity),
                      .unit = std::string(count.unit),
                      .origin = Origin::event,
                      .detail = std::string(count.event)};
    if (count.value)
      quantity.value = *count.value;
    else
      quantity.reason = count.value.absent;
    record.quantities.push_back(std::move(quantity));
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

}  // namespace

void count_requests(const Problem& problem, std::span<const Candidate> candidates,
                    const cache::WarpMachine& machine, int device, Document& document) {
  const Backend& backend = find_backend(candidates.front().variant->backend);
  const OnDevice on_device(backend, problem, candidates.front(), device);
  for (const Candidate& candidate : candidates) {
    Record record = to_record(problem, candidate);
    if (!candidate.variant->supports(problem.shape)) {
      record.outcome = {Status::unsupported, "does not support this shape"};
      document.put(std::move(record));
      continue;
    }
    record.outcome = put_model(record, problem, candidate, machine);
    if (on_device.workspace && record.outcome.measured())
      if (const Check check = on_device.workspace->verify(candidate); !check)
        record.outcome = {Status::wrong, check.message()};
    // Without a device the counters' reason is that.
    if (record.outcome.measured() && backend.count)
      put_counts(record, backend.count(device, [&] {
        on_device.workspace->renew_inputs();
        on_device.workspace->run(candidate);
      }));
    document.put(std::move(record));
  }
}

}  // namespace tallcache
