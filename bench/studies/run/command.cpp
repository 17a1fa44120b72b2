// tallcache run: any variants on any shape, verified and timed interleaved.
#include "bench/studies/run/run.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/measure/candidates.hpp"
#include "bench/measure/context.hpp"
#include "bench/measure/device_watch.hpp"
#include "bench/measure/host_options.hpp"
#include "bench/measure/interrupt.hpp"
#include "bench/measure/options.hpp"
#include "bench/measure/output.hpp"
#include "bench/measure/sweep.hpp"
#include "bench/show/streams.hpp"
#include "bench/suites/suite.hpp"
#include "common/backend.hpp"
#include "common/catalogue.hpp"
#include "common/measure/machine_topology.hpp"
#include "cpu/first_touch.hpp"

namespace tallcache {
namespace {

constexpr int most_repetitions = 1000000;

struct RunOptions : ProblemOptions {
  std::string graph, json, backend;
  std::optional<double> seconds;
  ThreadOptions threads;
  std::optional<int> repetitions;
  int warm_up = 0;
  bool cold = false, first_touch = false, patient = false, energy = false;
  LaunchMode launch = LaunchMode::plain;
  int device = 0;
  Pages pages = Pages::ordinary;
};

Problem problem_to_run(const RunOptions& options) {
  if (options.graph.empty()) return problem_of(options);
  const Operation& operation = find_operation(options.operation, options.element);
  for (const Suite* suite : suites())
    if (suite->operation == operation.name && has_graph(*suite))
      return in_order(suite->graph_problem(operation, options.graph), options);
  throw Error(fmt::format("--graph: {} does not work on a graph", operation.name));
}

// A requested candidate that could have run on a machine with enough memory has failed; the results of the
// others are kept.
void require_device_ran(const Document& document, bool asked_for) {
  for (const Record& record : document.measurements) {
    const Status status = record.outcome.status;
    if (!find_backend(record.backend).host && status != Status::measured &&
        (asked_for || (status != Status::unavailable && status != Status::unsupported)))
      throw Error(fmt::format("{}: {}", record.variant, record.outcome.reason), status);
  }
}

std::string range_text(std::string_view what, Index begin, Index size) {
  return fmt::format("{} {} to {}", what, begin, begin + size - 1);
}

// Which memory node touches which part of the arrays first.
void print_first_touches(const Problem& problem) {
  const Operation& operation = *problem.operation;
  const Shape shape = complete_shape(operation, problem.shape);
  const std::vector<MemoryNode> nodes = Topology().memory_nodes();
  const std::vector<BufferSpec> buffers = operation.buffers(shape);
  for (const cpu::TouchedBlock& block : cpu::first_touches(operation, shape, nodes)) {
    const bool bytes = block.element == 1;
    const std::string rows = bytes ? "" : range_text("rows", block.row, block.rows) + ", ";
    print("{}: {}{}: node {}\n", buffers[block.buffer].name, rows,
          range_text(bytes ? "bytes" : "columns", block.col, block.cols), nodes[block.node].number);
  }
}

Protocol protocol_of(const RunOptions& options) {
  // Without a shape it is a look.
  Protocol protocol{
      .seconds = options.seconds.value_or(options.shape.empty() && options.graph.empty() ? 0.1 : 1),
      .warm_up = options.warm_up,
      .cold = options.cold,
      .planning = options.patient ? Planning::patient : Planning::quick,
      .energy_seconds = options.energy ? 1.0 : 0};
  if (options.repetitions) {
    protocol.min_rounds = protocol.max_rounds = *options.repetitions;
    protocol.seconds = most_seconds;  // a run of any length is repeated
  }
  return protocol;
}

// Measures the candidates on one problem. What was measured before an interruption is put into the document,
// too.
void measure_problem(Document& document, const Problem& problem, const RunOptions& options) {
  auto list = candidates(*problem.operation, options.variants, options.params, options.threads.count,
                         options.backend);
  for (Candidate& candidate : list) candidate.launch = options.launch;
  std::vector<Measurement> measured;
  const auto put = [&] {
    for (const Measurement& m : measured) {
      Record record = to_record(problem, m);
      if (options.cold) record.conditions["caches"] = "cold";
      document.put(std::move(record));
    }
  };
  measure_and_show(
      [&] {
        measured = measure_each(
            problem, list, protocol_of(options), options.device,
            [&](std::span<const Measurement> so_far) { measured.assign(so_far.begin(), so_far.end()); });
      },
      put);
}

void run(RunOptions options) {
  std::vector<Problem> problems;
  const std::string asked = std::exchange(options.shape, {});
  for (const std::string& shape : swept_shapes(asked)) {
    options.shape = shape;
    problems.push_back(problem_to_run(options));
    problems.back().pages = options.pages;
  }
  if (options.first_touch) return print_first_touches(problems.front());
  const Threads threads(options.threads);
  // Names are refused before anything is measured.
  candidates(*problems.front().operation, options.variants, options.params, options.threads.count,
             options.backend);
  const Output output(options.json);
  const DeviceWatch watch(options.device);
  Document document{.kind = "run", .context = machine_context(options.device)};
  document.context["seed"] = options.seed;
  if (options.threads.count > 1) document.context["fork"] = name_of(options.threads.fork);
  std::size_t shown = 0;
  const auto show = [&] {
    watch.note(document);
    const std::vector<Grid> grids = run_grids(document);
    for (; shown < grids.size(); ++shown) output.part(document, render(grids[shown], Style::terminal));
  };
  for (const Problem& problem : problems)
    measure_and_show([&] { measure_problem(document, problem, options); }, show);
  output.devices(document);
  output.finish(document);
  require_device_ran(document, !options.backend.empty());
}

std::string graph_operations() { return fmt::format("{}", fmt::join(operations_with(has_graph), ", ")); }

}  // namespace

void add_run(CLI::App& app) {
  const auto options = std::make_shared<RunOptions>();
  CLI::App* command =
      app.add_subcommand("run", "Verify and time variants of one operation on one shape, interleaved");
  const ProblemFlags flags = add_problem(*command, *options, "all of them");
  command->add_option("--backend", options->backend, "Only variants on the cpu or on the gpu");
  add_device(*command, options->device, "Number of the GPU to use");
  command
      ->add_option(
          "--graph", options->graph,
          fmt::format("For {}: the graph in FILE, a line 'u v' for each edge, or a Matrix Market file",
                      graph_operations()))
      ->type_name("FILE")
      ->excludes(flags.shape)
      ->excludes(flags.input);
  above_zero(command->add_option("--seconds", options->seconds,
                                 "Time to spend on each variant; 1, or 0.1 without a shape"));
  whole_in(
      command->add_option("--repetitions", options->repetitions,
                          "Time each variant so many times, however long that takes, in place of --seconds"),
      1, most_repetitions)
      ->excludes("--seconds");
  whole_in(
      command->add_option("--warm-up", options->warm_up, "Runs of each variant before those that are timed"),
      0, most_repetitions)
      ->capture_default_str();
  add_threads(*command, options->threads);
  add_huge_pages(*command, options->pages);
  command->add_flag("--first-touch", options->first_touch,
                    "Only print which memory node of this machine touches which part of the arrays first");
  add_patient(*command, options->patient);
  CLI::Option* const cold = command->add_flag("--cold", options->cold, "Flush the caches before each run");
  command
      ->add_flag("--energy", options->energy,
                 "Also the joules of a run, in one more second of runs: all that the processors and their "
                 "memory take (RAPL), or the GPU (NVML)")
      ->excludes(cold);
  one_of(command->add_option(
             "--launch", options->launch,
             "How a device's work is started: plain, or as one graph that is captured before the time"),
         "launch", {{"plain", int(LaunchMode::plain)}, {"graph", int(LaunchMode::graph)}});
  add_host(*command);
  add_json(*command, options->json);
  command->footer(
      "Example: tallcache run matmul naive tiled recursive --shape m=512 --param base=32\n"
      "         tallcache run matmul 'rec*' --shape 'm=64..4096*2'");
  command->callback([options, command] {
    if (!options->graph.empty() && command->get_option("operation")->empty())
      options->operation = operations_with(has_graph).front();
    run(*options);
  });
}

}  // namespace tallcache
