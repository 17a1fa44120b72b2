// tallcache run: any variants on any shape, verified and timed interleaved.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "bench/candidates.hpp"
#include "bench/commands.hpp"
#include "bench/context.hpp"
#include "bench/graph_file.hpp"
#include "bench/json.hpp"
#include "common/catalogue.hpp"
#include "common/ops/bfs.hpp"

namespace tallcache {
namespace {

struct RunOptions : ProblemOptions {
  std::string graph, json, backend;
  std::optional<double> seconds;
  ThreadOptions threads;
  bool cold = false;
  int device = 0;
  Pages pages = Pages::ordinary;
};

void print(const Problem& problem, std::span<const Measurement> results) {
  const Operation& operation = *problem.operation;
  int threads = 1;  // of the CPU's variants
  for (const Measurement& m : results) threads = std::max(threads, m.candidate.threads);
  fmt::print("{} {} {}{}\n", operation.name, operation.element, to_string(operation, problem.shape),
             threads > 1 ? fmt::format(" on {} threads", threads) : "");
  fmt::print("  {:<24} {:>12} {:>9} {:>12}\n", "variant", "median ms", "+- ms", to_string(operation.rate));
  for (const Measurement& m : results) {
    const std::string name = fmt::format("{}{}", m.candidate.variant->backend == Backend::gpu ? "gpu " : "",
                                         m.candidate.variant->name);
    if (!m.timed()) {
      fmt::print("  {:<24} {}\n", name, m.outcome.reason);
      continue;
    }
    fmt::print("  {:<24} {:>12.4f} {:>9.4f} {:>12.2f}", name, m.median_s() * 1e3, m.mad_s() * 1e3,
               per_second(operation.rate, operation.cost(problem.shape), m.median_s()));
    for (const auto& [phase, seconds] : m.phases) fmt::print("  {} {:.4f} ms", phase, seconds * 1e3);
    fmt::print("\n");
  }
}

/// The search of the graph in a file; its check knows no seed.
Problem graph_problem(const Operation& operation, const std::string& path) {
  if (&operation != &operation_of<Bfs>)
    throw Error(fmt::format("--graph: {} does not work on a graph", operation.name));
  auto graph = std::make_shared<const GraphFile>(read_graph(path));
  const Shape shape{{"vertices", static_cast<Index>(graph->offset.size()) - 1},
                    {"edges", static_cast<Index>(graph->target.size())}};
  return {.operation = &operation, .shape = shape, .input = "file", .own_inputs = [graph](auto buffers) {
            std::ranges::copy(graph->offset, reinterpret_cast<std::uint32_t*>(buffers[1]));
            std::ranges::copy(graph->target, reinterpret_cast<std::uint32_t*>(buffers[2]));
          }};
}

void run(const RunOptions& options) {
  Problem problem = options.graph.empty()
                        ? problem_of(options)
                        : graph_problem(find_operation(options.operation, options.element), options.graph);
  problem.pages = options.pages;
  const Threads threads(options.threads);
  std::optional<Backend> backend;
  if (!options.backend.empty()) backend = options.backend == "gpu" ? Backend::gpu : Backend::cpu;
  const auto list =
      candidates(*problem.operation, options.variants, options.params, options.threads.count, backend);
  if (!options.json.empty()) require_writable(options.json);
  // Without a shape it is a look.
  const double seconds = options.seconds.value_or(options.shape.empty() && options.graph.empty() ? 0.1 : 1);
  const auto results =
      measure_each(problem, list, {.seconds = seconds, .cold = options.cold}, options.device);
  if (options.json != "-") print(problem, results);
  if (!options.json.empty()) {
    Json measurements = Json::array();
    for (const Measurement& m : results) measurements.push_back(to_json(problem, m));
    write_json(options.json,
               {{"context", machine_context(options.device)}, {"measurements", std::move(measurements)}});
  }
  for (const Measurement& m : results)
    if (m.outcome.status == Status::wrong)
      throw Error(fmt::format("{}: {}", m.candidate.variant->name, m.outcome.reason));
  // What was asked for and could have run, on a machine with room for it, did not: the others' results stand.
  for (const Measurement& m : results)
    if (m.candidate.variant->backend == Backend::gpu && !m.outcome.measured() &&
        (backend ||
         (m.candidate.variant->unavailable().empty() && m.candidate.variant->supports(problem.shape))))
      throw Error(fmt::format("{}: {}", m.candidate.variant->name, m.outcome.reason));
}

}  // namespace

void add_run(CLI::App& app) {
  const auto options = std::make_shared<RunOptions>();
  CLI::App* command =
      app.add_subcommand("run", "Verify and time variants of one operation on one shape, interleaved");
  const ProblemFlags flags = add_problem(*command, *options, "all of them");
  command->add_option("--backend", options->backend, "Only variants on the cpu or on the gpu")
      ->check(CLI::IsMember({"cpu", "gpu"}));
  command->add_option("--device", options->device, "Number of the GPU to use")->capture_default_str();
  command
      ->add_option("--graph", options->graph,
                   "For bfs: the graph in FILE, a line 'u v' for each edge, sorted by u")
      ->type_name("FILE")
      ->excludes(flags.shape)
      ->excludes(flags.input);
  command
      ->add_option("--seconds", options->seconds, "Time to spend on each variant; 1, or 0.1 without a shape")
      ->check(CLI::PositiveNumber);
  add_threads(*command, options->threads);
  add_huge_pages(*command, options->pages);
  command->add_flag("--cold", options->cold, "Flush the caches before each run");
  command->add_option("--json", options->json, "Write the measurements to FILE ('-': standard output)")
      ->type_name("FILE");
  command->footer("Example: tallcache run matmul naive tiled recursive --shape m=512 --param base=32");
  command->callback([options, command] {
    if (!options->graph.empty() && command->get_option("operation")->empty()) options->operation = Bfs::name;
    run(*options);
  });
}

}  // namespace tallcache
