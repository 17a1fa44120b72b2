// tallcache compare: every variant of an operation on the CPU and on the GPU over a sweep of sizes, the GPU's
// with and without the transfers of its operands.
#include "bench/studies/compare/compare.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <map>
#include <optional>

#include "bench/measure/candidates.hpp"
#include "bench/measure/context.hpp"
#include "bench/measure/options.hpp"
#include "bench/measure/suite_run.hpp"
#include "bench/show/drawing.hpp"
#include "bench/show/fit.hpp"
#include "bench/show/streams.hpp"
#include "common/backend.hpp"
#include "common/catalogue.hpp"
#include "common/fork/one_tbb.hpp"

namespace tallcache {
namespace {

struct CompareOptions : SuiteOptions {
  std::string element, svg;
  std::optional<double> seconds;

  /// For each candidate at one size. One that would take five times as long for a run is left out, so that
  /// this bounds the whole.
  double seconds_each() const { return seconds.value_or(smoke ? 0.01 : full ? 1 : 0.2); }
};

/// The seconds to copy the operands to the device and the result back, from pages of both kinds.
std::vector<Quantity> transfer_times(const Backend& backend, const Problem& problem, int device) {
  std::vector<Quantity> times;
  std::size_t up = 0, down = 0;
  for (const BufferSpec& spec : problem.operation->buffers(problem.shape)) {
    if (spec.role != Role::output) up += spec.bytes;
    if (spec.role != Role::input) down += spec.bytes;
  }
  for (const TransferMode mode : {TransferMode::pinned, TransferMode::pageable}) {
    Quantity& time = times.emplace_back(
        Quantity{.name = std::string(transfer_time), .unit = "s", .detail = "up and down, median of 5"});
    time.at = transfer_part(mode);
    try {
      const TransferSeconds seconds = backend.transfer_seconds(
          up, down, mode == TransferMode::pinned ? HostPages::pinned : HostPages::pageable, device);
      time.value = seconds.upload + seconds.download;
    } catch (const Error& error) {
      time.reason = error.what();
    }
  }
  return times;
}

/// The CPU's variants on one thread, and on all cores those that can use them; the GPU's once.
std::vector<Candidate> all_candidates(const Operation& operation) {
  std::vector<Candidate> list;
  const int threads = default_threads();
  for (const Variant* variant : variants_of(operation)) {
    list.push_back({.variant = variant});
    if (variant->parallel && threads > 1) list.push_back({.variant = variant, .threads = threads});
  }
  return list;
}

/// The reason why a candidate is left out at this size, or empty. A candidate is left out when it took
/// `seconds_each` or longer at a smaller size and would now take five times as long: a triple loop over 4096
/// takes minutes.
std::string too_slow(const Document& document, const Candidate& candidate, const Problem& problem,
                     const Problem* smaller, double seconds_each) {
  if (!smaller) return "";
  const Record* before = document.find(to_record(*smaller, candidate));
  if (before->outcome.status == Status::left_out) return before->outcome.reason;
  const double expected = before->seconds() * rated_work(*problem.operation, problem.shape) /
                          rated_work(*smaller->operation, smaller->shape);
  if (!(expected > 5 * seconds_each)) return "";
  const DimSpec& first = problem.operation->dims.front();
  return fmt::format("left out from {} = {}: it would take about {:.2g} s", first.name,
                     problem.shape[first.name], expected);
}

/// Measures all candidates at one size. On a device a small one is measured once more as graphs.
void measure_size(Document& document, const Problem& problem, const Problem* smaller,
                  const CompareOptions& options) {
  std::vector<Candidate> runs;
  for (const Candidate& candidate : all_candidates(*problem.operation)) {
    Record& record = document.measurements.emplace_back(to_record(problem, candidate));
    const std::string reason = too_slow(document, candidate, problem, smaller, options.seconds_each());
    if (reason.empty())
      runs.push_back(candidate);
    else
      record.outcome = {Status::left_out, reason};
  }
  const Protocol protocol{
      .min_rounds = 3, .max_rounds = 9, .seconds = options.seconds_each(), .planning = options.planning()};
  const auto measured = measure_each(problem, runs, protocol, options.device);
  std::map<std::string_view, std::vector<Quantity>> transfers;  // by backend
  for (const Measurement& m : measured) {
    Record record = to_record(problem, m);
    const Backend& backend = find_backend(m.candidate.variant->backend);
    if (!backend.host && m.timed()) {
      const auto [known, fresh] = transfers.try_emplace(backend.name);
      if (fresh) known->second = transfer_times(backend, problem, options.device);
      record.quantities.insert(record.quantities.end(), known->second.begin(), known->second.end());
    }
    document.put(std::move(record));
  }
  if (const auto graphs = graphs_of(measured); !graphs.empty())
    for (const Measurement& m : measure_each(problem, graphs, protocol, options.device))
      document.put(to_record(problem, m));
}

void measure_sweep(SuiteRun& run, const Suite& suite, const CompareOptions& options) {
  Document& document = run.document;
  const Operation& operation = find_operation(
      suite.operation, options.element.empty() ? suite.sizes.element : std::string_view(options.element));
  const std::string_view size = operation.dims.front().name;
  const std::vector<Index>& sizes = suite.sizes.at(options.scale());
  Sweep sweep{.operation = std::string(operation.name),
              .element = std::string(operation.element),
              .size = std::string(size)};
  document.plan.emplace_back();
  Problem smaller{};
  for (const Index n : sizes) {
    print(Stream::progress, "{} {} {} = {} ...\n", operation.name, operation.element, size, n);
    const Shape shape = suite.sized ? suite.sized(n) : Shape{{size, n}};
    const Problem problem{.operation = &operation,
                          .shape = complete_shape(operation, shape),
                          .input = {},
                          .seed = options.seed};
    sweep.sizes.push_back(n);
    document.plan.back() = sweep;
    measure_size(document, problem, smaller.operation ? &smaller : nullptr, options);
    smaller = problem;
    run.keep();
  }
}

void compare(const CompareOptions& options) {
  SuiteRun run("compare", options, has_sizes, "operation to compare");
  for (const Suite* suite : run.suites()) find_operation(suite->operation, options.element);
  const auto plot_file = [&](const Suite* suite) {
    return fmt::format("{}-{}.svg", options.svg, suite->operation);
  };
  if (!options.svg.empty())
    for (const Suite* suite : run.suites()) require_writable(plot_file(suite));
  run.measure_limits();
  for (const Suite* suite : run.suites()) {
    const Document& document = run.document;
    const auto show = [&] {
      const Sweep sweep = document.plan.back();
      run.part(fmt::format("\n{}{}", render(comparison_grid(document, sweep), Style::terminal),
                           wrapped_lines(comparison_sentences(document, sweep), line_width())));
    };
    measure_and_show([&] { measure_sweep(run, *suite, options); }, show);
    const Sweep sweep = document.plan.back();
    if (!options.svg.empty()) write_text(plot_file(suite), svg_file(comparison_chart(document, sweep)));
  }
  run.finish();
  require_device(options.device);
}

}  // namespace

void add_compare(CLI::App& app) {
  const auto [command, options] = add_command(
      app, compare, "compare", "CPU against GPU over a sweep of sizes, kernel alone and with transfers",
      "Example: tallcache compare matmul transpose --json compare.json --svg compare");
  add_suite(*command, *options, has_sizes);
  command->add_option("--element", options->element, "Element type, as double");
  command->add_flag("--full", options->full, "Larger sizes and longer rounds")
      ->excludes(command->get_option("--smoke"));
  above_zero(command->add_option(
      "--seconds", options->seconds,
      "Time to spend on each variant at each size; 0.2, or 1 with --full. Runs of five times as "
      "long are left out"));
  add_device(*command, options->device, "Number of the GPU to use");
  command->add_option("--svg", options->svg, "Plot each operation into PREFIX-<operation>.svg")
      ->type_name("PREFIX");
}

}  // namespace tallcache
