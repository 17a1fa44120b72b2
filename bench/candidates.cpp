#include "bench/candidates.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "common/catalogue.hpp"

namespace tallcache {
namespace {

const Variant& named_variant(const Operation& operation, const std::string& name,
                             std::optional<Backend> backend) {
  if (!backend)
    for (const Variant* variant : variants_of(operation))  // the CPU's come first
      if (variant->name == name) return *variant;
  const auto list = variants_of(operation);
  const bool none_on_cpu =
      std::ranges::none_of(list, [](const Variant* variant) { return variant->backend == Backend::cpu; });
  return find_variant(operation, name, backend.value_or(none_on_cpu ? Backend::gpu : Backend::cpu));
}

}  // namespace

std::vector<Candidate> candidates(const Operation& operation, std::span<const std::string> names,
                                  std::span<const std::string> params, std::optional<Backend> backend) {
  std::vector<Candidate> list;
  if (names.empty())
    for (const Variant* variant : variants_of(operation))
      if (!backend || variant->backend == *backend) list.push_back({variant});
  for (const std::string& name : names) list.push_back({&named_variant(operation, name, backend)});
  if (list.empty())
    throw Error(fmt::format("{} has no variant on the {}", operation.name, to_string(*backend)));
  for (const std::string& text : params) {
    const std::string name = text.substr(0, text.find('='));
    bool known = false;
    for (Candidate& candidate : list)
      for (const ParamSpec& spec : candidate.variant->params)
        if (spec.name == name) {
          candidate.params.set(spec.name, parse_params(*candidate.variant, text)[spec.name]);
          known = true;
        }
    if (!known)
      parse_params(*list.front().variant, text), throw Error(fmt::format("no variant here has '{}'", name));
  }
  return list;
}

std::vector<Measurement> measure_each(const Problem& problem, std::span<const Candidate> list,
                                      const Protocol& protocol, int device,
                                      const std::function<void(std::span<const Measurement>)>& progress) {
  std::vector<Measurement> all;
  for (const Candidate& candidate : list) all.push_back({.candidate = candidate});
  for (Backend backend : {Backend::cpu, Backend::gpu}) {
    std::vector<std::size_t> places;
    std::vector<Candidate> own;
    std::string unavailable;  // of all of them
    for (std::size_t c = 0; c < list.size(); ++c) {
      if (list[c].variant->backend != backend) continue;
      const std::string reason = list[c].variant->unavailable();
      unavailable = own.empty() || !unavailable.empty() ? reason : "";
      places.push_back(c);
      own.push_back(list[c]);
    }
    if (own.empty()) continue;
    const auto keep = [&](std::span<const Measurement> measured) {
      for (std::size_t i = 0; i < places.size(); ++i) all[places[i]] = measured[i];
    };
    try {
      if (backend == Backend::gpu && !unavailable.empty()) throw Error(unavailable);
      const auto executor = make_executor(backend, device);
      Workspace workspace(problem, *executor);
      keep(measure(workspace, own, protocol, [&](std::span<const Measurement> so_far) {
        keep(so_far);
        if (progress) progress(all);
      }));
    } catch (const Error& error) {
      if (backend == Backend::cpu) throw;
      for (std::size_t place : places) all[place] = {.candidate = list[place], .problem = error.what()};
    }
  }
  return all;
}

}  // namespace tallcache
