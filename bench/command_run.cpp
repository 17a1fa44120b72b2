// tallcache run: any variants on any shape, verified and timed interleaved.
#include <fmt/format.h>

#include <memory>
#include <vector>

#include "bench/candidates.hpp"
#include "bench/commands.hpp"
#include "bench/json.hpp"
#include "common/catalogue.hpp"

namespace tallcache {
namespace {

struct Options {
  std::string operation, element, shape, input, json, backend;
  std::vector<std::string> variants, params;
  std::uint64_t seed = 1;
  double seconds = 1;
  bool cold = false;
  int device = 0;
};

void print(const Problem& problem, std::span<const Measurement> results) {
  const Operation& operation = *problem.operation;
  fmt::print("{} {} {}\n", operation.name, operation.element, to_string(operation, problem.shape));
  fmt::print("  {:<24} {:>12} {:>9} {:>12}\n", "variant", "median ms", "+- ms", to_string(operation.rate));
  for (const Measurement& m : results) {
    const std::string name = fmt::format("{}{}", m.candidate.variant->backend == Backend::gpu ? "gpu " : "",
                                         m.candidate.variant->name);
    if (m.repetitions == 0) {
      fmt::print("  {:<24} {}\n", name, m.problem);
      continue;
    }
    fmt::print("  {:<24} {:>12.4f} {:>9.4f} {:>12.2f}", name, m.median_s * 1e3, m.mad_s * 1e3,
               per_second(operation.rate, operation.cost(problem.shape), m.median_s));
    for (const auto& [phase, seconds] : m.phases) fmt::print("  {} {:.4f} ms", phase, seconds * 1e3);
    fmt::print("\n");
  }
}

void run(const Options& options) {
  const Operation& operation = find_operation(options.operation, options.element);
  Problem problem{&operation, parse_shape(operation, options.shape), options.input, options.seed};
  if (problem.input.empty()) problem.input = operation.inputs.front();
  std::optional<Backend> backend;
  if (!options.backend.empty()) backend = options.backend == "gpu" ? Backend::gpu : Backend::cpu;
  const auto list = candidates(operation, options.variants, options.params, backend);
  if (!options.json.empty()) require_writable(options.json);
  const auto results =
      measure_each(problem, list, {.seconds = options.seconds, .cold = options.cold}, options.device);
  if (options.json != "-") print(problem, results);
  if (!options.json.empty()) {
    Json measurements = Json::array();
    for (const Measurement& m : results) measurements.push_back(to_json(problem, m));
    write_json(options.json, {{"measurements", std::move(measurements)}});
  }
  for (const Measurement& m : results)
    if (m.problem.starts_with("wrong result"))
      throw Error(fmt::format("{}: {}", m.candidate.variant->name, m.problem));
  // What was asked for and could have run, on a machine with room for it, did not: the others' results stand.
  for (const Measurement& m : results)
    if (m.candidate.variant->backend == Backend::gpu && !m.problem.empty() &&
        (backend ||
         (m.candidate.variant->unavailable().empty() && m.candidate.variant->supports(problem.shape))))
      throw Error(fmt::format("{}: {}", m.candidate.variant->name, m.problem));
}

}  // namespace

void add_run(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("run", "Verify and time variants of one operation on one shape, interleaved");
  command->add_option("operation", options->operation, "The operation: see 'tallcache list'")->required();
  command->add_option("variants", options->variants, "Its variants; all of them when none is named");
  command
      ->add_option("--shape", options->shape,
                   "Sizes, as m=512,n=256,k=64,pad=8; what is left out is the first")
      ->required();
  command->add_option("--element", options->element, "Element type, as double; the operation's first");
  command->add_option("--param", options->params, "A variant's parameter, as base=32; may be repeated");
  command->add_option("--input", options->input, "Kind of input data; the operation's first");
  command->add_option("--backend", options->backend, "Only variants on the cpu or on the gpu")
      ->check(CLI::IsMember({"cpu", "gpu"}));
  command->add_option("--device", options->device, "Number of the GPU to use")->capture_default_str();
  command->add_option("--seed", options->seed, "Seed of the input data");
  command->add_option("--seconds", options->seconds, "Time to spend on each variant")
      ->check(CLI::PositiveNumber);
  command->add_flag("--cold", options->cold, "Flush the caches before each run");
  command->add_option("--json", options->json, "Write the measurements to FILE ('-': standard output)")
      ->type_name("FILE");
  command->footer("Example: tallcache run matmul naive tiled recursive --shape m=512 --param base=32");
  command->callback([options] { run(*options); });
}

}  // namespace tallcache
