// tallcache peers: the fastest variants beside the libraries that a user would pick instead, over the shapes
// and inputs where each must hold.
#include "bench/studies/peers/peers.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>

#include "bench/measure/candidates.hpp"
#include "bench/measure/options.hpp"
#include "bench/measure/suite_run.hpp"
#include "bench/show/device_memory.hpp"
#include "bench/show/streams.hpp"
#include "common/backend.hpp"
#include "common/catalogue.hpp"
#include "common/fork/one_tbb.hpp"

namespace tallcache {
namespace {

struct PeersOptions : SuiteOptions {
  std::string element, variant;  ///< of the comparisons; empty: all
  double seconds = 0.5;
  Pages pages = Pages::ordinary;

  bool is_asked_for(const PeerComparison& comparison) const {
    return (element.empty() || element == comparison.element) &&
           (variant.empty() || variant == comparison.variant);
  }
};

// "m = n = k = 1024"; "zipf_1.0, n = range = 10000000"; "m = n = 256, stream = 0".
std::string label_of(const Problem& problem, const PeerCase& peer_case) {
  std::vector<std::pair<Index, std::string>> sizes;  // and the names of each
  for (const auto& [name, size] : problem.shape) {
    if (name == "pad" && size == 0) continue;
    const auto same = std::ranges::find(sizes, size, &std::pair<Index, std::string>::first);
    if (same == sizes.end())
      sizes.emplace_back(size, name);
    else
      same->second += fmt::format(" = {}", name);
  }
  std::string text;
  if (!peer_case.input.empty()) text = peer_case.input;
  for (const auto& [size, names] : sizes)
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", names, size);
  for (const auto& [name, value] : peer_case.params) text += fmt::format(", {} = {}", name, value);
  return text;
}

PeersPlan plan_of(const Operation& operation, const PeerComparison& comparison) {
  const SpeedShare& share = comparison.share;
  PeersPlan plan{.operation = std::string(operation.name),
                 .element = std::string(operation.element),
                 .backend = std::string(comparison.backend),
                 .variant = std::string(comparison.variant),
                 .share = {.of = std::string(to_string(share.of)), .title = std::string(share.title)},
                 .first_input = std::string(operation.inputs.front()),
                 .baseline = std::string(comparison.baseline)};
  if (comparison.cold) plan.caches = "cold";
  if (comparison.mean) plan.mean = true;
  if (share.of == SpeedShare::Of::reference) {
    plan.share.operation = share.operation;
    plan.share.variant = share.variant;
  }
  if (!share.element.empty()) {
    plan.share.element = share.element;
    plan.share.products = share.products;
  }
  return plan;
}

// Those of a small problem on a device, once more as graphs.
void put_all(Document& document, const Problem& problem, std::span<const Candidate> list,
             const Protocol& protocol, const PeersOptions& options, const std::string& row) {
  const auto put = [&](std::span<const Candidate> candidates) {
    auto measured = measure_each(problem, candidates, protocol, options.device);
    for (const Measurement& m : measured) {
      Record record = to_record(problem, m);
      record.row = row;
      if (protocol.cold) record.conditions["caches"] = "cold";
      document.put(std::move(record));
    }
    return measured;
  };
  if (const auto graphs = graphs_of(put(list)); !graphs.empty()) put(graphs);
}

// Another operation of the same sizes, its rows without gaps, measured next.
void measure_reference(Document& document, const PeerComparison& comparison, const Problem& problem,
                       int threads, const Protocol& protocol, const PeersOptions& options,
                       const std::string& row) {
  const Operation& operation = find_operation(comparison.share.operation, comparison.element);
  const Variant& variant = find_variant(operation, comparison.share.variant, comparison.backend);
  const Candidate candidate{&variant, complete_params(variant, {}), variant.parallel ? threads : 1};
  Shape shape = problem.shape;
  for (const auto& [name, size] : problem.shape)
    if (name == "pad") shape.set(name, 0);
  put_all(document,
          {.operation = &operation,
           .shape = complete_shape(operation, shape),
           .input = {},
           .seed = problem.seed,
           .pages = problem.pages},
          std::span(&candidate, 1), protocol, options, row);
}

void measure_case(Document& document, const Operation& operation, const PeerComparison& comparison,
                  const PeerCase& peer_case, const PeersOptions& options) {
  const int threads = peer_case.all_cores ? default_threads() : 1;
  const Problem problem{.operation = &operation,
                        .shape = complete_shape(operation, peer_case.shape),
                        .input = peer_case.input,
                        .seed = options.seed,
                        .pages = options.pages};
  const std::string label = label_of(problem, peer_case);
  const std::string row = fmt::format(
      "{} {} {}: {}{}{}{}", operation.name, operation.element, comparison.variant, peer_case.group,
      peer_case.group.empty() ? "" : ": ", label, threads > 1 ? fmt::format(", {} threads", threads) : "");
  document.plan.back()["cases"].push_back(PlannedCase{label, row, threads, std::string(peer_case.group)});
  print(Stream::error, "{} ...\n", row);
  std::vector<Candidate> list;
  for (const Variant* variant : compared_variants(operation, comparison))
    list.push_back({variant, complete_params(*variant, list.empty() ? peer_case.params : Params{}),
                    variant->parallel ? threads : 1});
  const Protocol protocol{.min_rounds = 3,
                          .max_rounds = 25,
                          .seconds = options.seconds * (peer_case.group.empty() ? 1 : 0.2),
                          .cold = comparison.cold,
                          .planning = options.planning(),
                          .counts = device_memory_counts};
  put_all(document, problem, list, protocol, options, row);
  if (comparison.share.of == SpeedShare::Of::reference)
    measure_reference(document, comparison, problem, threads, protocol, options, row);
}

void peers(const PeersOptions& options) {
  if (!options.element.empty()) find_element(options.element);
  SuiteRun run("peers", options, has_peers, "operation with peers");
  Document& document = run.document;
  run.measure_limits();
  run.each(&Suite::peers, [&](const Operation& operation, const PeerComparison& comparison) {
    if (!options.is_asked_for(comparison)) return;
    auto cases = cases_at(comparison, options.scale());
    // On a machine of one core, all cores are the case before.
    if (default_threads() == 1) std::erase_if(cases, &PeerCase::all_cores);
    if (cases.empty()) return;  // it has larger ones alone
    document.plan.push_back(plan_of(operation, comparison));
    for (const PeerCase& peer_case : cases) {
      measure_case(document, operation, comparison, peer_case, options);
      run.keep();
    }
    run.part(render(peers_grid(document, document.plan.back()), Style::terminal));
  });
  run.finish();
}

}  // namespace

void add_peers(CLI::App& app) {
  const auto [command, options] = add_command(
      app, peers, "peers",
      "The fastest variants beside the libraries that a user would pick instead, over many shapes",
      "Example: tallcache peers transpose --json peers.json");
  add_suite(*command, *options, has_peers);
  command->add_option("--element", options->element,
                      "Only the comparisons of this element type, as bfloat16");
  command->add_option("--variant", options->variant, "Only those of this variant with its peers");
  above_zero(command->add_option("--seconds", options->seconds, "Time to spend on each variant in each case"))
      ->capture_default_str();
  add_backend(*command, *options);
  add_huge_pages(*command, options->pages);
  command->add_flag("--full", options->full,
                    "Sizes of seconds a run, too: 20 minutes and 8 GB, 20 GB on a GPU's host");
}

}  // namespace tallcache
