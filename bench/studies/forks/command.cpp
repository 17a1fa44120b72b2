// tallcache forks: what forks cost. Every variant that forks at every power of ten of its size, on one thread
// and on several under each fork policy.
#include "bench/studies/forks/forks.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <array>
#include <bit>
#include <memory>
#include <thread>

#include "bench/measure/candidates.hpp"
#include "bench/measure/context.hpp"
#include "bench/measure/host_options.hpp"
#include "bench/measure/options.hpp"
#include "bench/measure/output.hpp"
#include "bench/suites/by_name.hpp"
#include "common/backend.hpp"
#include "common/catalogue.hpp"

namespace tallcache {
namespace {

struct ForksOptions {
  std::vector<std::string> operations;
  std::string json;
  int threads = 0;  // 0: all
  double seconds = 0.05, shortest_run = 1e-6, longest_run = 0.1;
  std::uint64_t seed = 1;
  bool smoke = false;
};

bool forks(const Variant* variant) { return on_host(*variant) && variant->parallel && !variant->peer; }

/// The operations, each on its first element, of which a variant forks.
std::vector<const Operation*> forking_operations() {
  std::vector<const Operation*> list;
  for (const Operation* operation : operations()) {
    if (operation != &find_operation(operation->name)) continue;
    if (std::ranges::any_of(variants_of(*operation), forks)) list.push_back(operation);
  }
  return list;
}

/// The shape of that first size; none where the operation has no such size.
std::optional<Shape> shape_of(const Operation& operation, Index size) {
  try {
    const Shape shape = complete_shape(operation, {{operation.dims.front().name, size}});
    operation.buffers(shape);
    return shape;
  } catch (const Error&) {
    return {};
  }
}

/// Powers of ten of the operation's first size, and those that it is measured at; by their work. In place of
/// a power of ten that `variant` does not support, the largest power of two below it.
std::vector<Shape> shapes_of(const Operation& operation, const Variant& variant, Index largest) {
  std::vector<Shape> shapes;
  for (const Shape& shape : operation.bench_shapes()) shapes.push_back(complete_shape(operation, shape));
  for (Index n = 1; n <= largest; n *= 10)
    for (const Index size : {n, static_cast<Index>(std::bit_floor(static_cast<std::uint64_t>(n)))})
      if (const auto shape = shape_of(operation, size); shape && variant.supports(*shape)) {
        shapes.push_back(*shape);
        break;
      }
  std::erase_if(shapes, [&](const Shape& shape) {
    return shape[operation.dims.front().name] > largest || !variant.supports(shape);
  });
  std::ranges::sort(shapes, {}, [&](const Shape& shape) { return rated_work(operation, shape); });
  shapes.erase(std::unique(shapes.begin(), shapes.end()), shapes.end());
  return shapes;
}

/// One thread, then `threads` under each policy.
std::vector<Candidate> policies_of(const Variant& variant, int threads) {
  std::vector<Candidate> list{{.variant = &variant}};
  for (const ForkPolicy policy : fork_policies)
    list.push_back({.variant = &variant, .threads = threads, .fork = policy});
  return list;
}

/// A program on a thread of its own, again and again, as long as this lives.
class Beside {
 public:
  Beside(const Problem& problem, const Candidate& candidate)
      : executor_(make_executor(candidate.variant->backend)),
        workspace_(problem, *executor_),
        thread_([this, candidate](const std::stop_token& stop) {
          while (!stop.stop_requested()) {
            if (workspace_.in_place()) workspace_.renew_inputs();
            workspace_.run(candidate);
          }
        }) {}

 private:
  std::unique_ptr<Executor> executor_;
  Workspace workspace_;
  std::jthread thread_;
};

/// The time of a run on one thread while as many more do the same, each with arrays of its own: what the
/// machine leaves programs that share no work.
Quantity beside_others(const Problem& problem, const Candidate& alone, int others, const Protocol& protocol) {
  std::vector<std::unique_ptr<Beside>> running;
  for (int i = 0; i < others; ++i) running.push_back(std::make_unique<Beside>(problem, alone));
  const Measurement measured = measure_each(problem, std::array{alone}, protocol).front();
  return {.name = "beside others", .unit = "s", .value = measured.median_s(), .spread = measured.mad_s()};
}

/// The record of a run, with what the report reads of it: the median and its spread, and the variant's hint.
Record summary(const Problem& problem, const Measurement& m) {
  Record record = to_record(problem, m);
  std::erase_if(record.quantities, [](const Quantity& q) { return q.name != "time" || !q.at.empty(); });
  for (Quantity& time : record.quantities) time.samples.clear();
  record.row = fmt::format("{} {}", m.candidate.variant->name, to_string(*problem.operation, problem.shape));
  if (m.candidate.threads == 1)
    record.quantities.push_back(
        {.name = "hint",
         .unit = "s",
         .value = m.candidate.variant->hint_ns(problem.operation->cost(problem.shape)) * 1e-9,
         .origin = Origin::formula});
  return record;
}

/// From the size at which one thread takes shortest_run, up to that at which it would take longer than
/// longest_run.
void measure_variant(Document& document, const Operation& operation, const Variant& variant,
                     const ForksOptions& options) {
  const auto list = policies_of(variant, options.threads);
  const Protocol protocol{.min_rounds = 5, .max_rounds = 51, .seconds = options.seconds};
  double seconds_per_work = 0;
  for (const Shape& shape : shapes_of(operation, variant, options.smoke ? 10 : 1'000'000'000)) {
    const double work = rated_work(operation, shape);
    if (seconds_per_work * work > options.longest_run) return;
    if (seconds_per_work > 0 && 10 * seconds_per_work * work < options.shortest_run) continue;
    double alone = 0;
    const Problem problem{.operation = &operation, .shape = shape, .input = {}, .seed = options.seed};
    const auto measured = measure_each(problem, list, protocol);
    for (const Measurement& m : measured)
      if (m.candidate.threads == 1 && m.outcome.measured()) alone = m.median_s();
    if (work > 0) seconds_per_work = alone / work;
    if (alone > 0 && alone < options.shortest_run && !options.smoke) continue;
    for (const Measurement& m : measured) {
      Record record = summary(problem, m);
      if (m.candidate.threads == 1 && (alone >= least_beside || (options.smoke && alone > 0)))
        record.quantities.push_back(beside_others(problem, m.candidate, options.threads - 1, protocol));
      document.put(std::move(record));
    }
    if (alone == 0) return;
  }
}

void measure_forks(ForksOptions options) {
  if (options.threads == 0) options.threads = std::max(2, default_threads());
  const auto chosen =
      find_by_name(forking_operations(), options.operations, &Operation::name, "operation that forks");
  const Threads threads({.count = options.threads});
  const Output output(options.json);
  Document document{.kind = "forks", .context = machine_context(0)};
  document.context["seed"] = options.seed;
  if (options.smoke) document.context["mode"] = "smoke";
  for (const Operation* operation : chosen) {
    const ForksPlan plan{std::string(operation->name), std::string(operation->element), options.threads};
    document.plan.push_back(plan);
    const auto measure = [&] {
      for (const Variant* variant : variants_of(*operation))
        if (forks(variant)) measure_variant(document, *operation, *variant, options);
    };
    measure_and_show(measure,
                     [&] { output.part(document, render(forks_grid(document, plan), Style::terminal)); });
  }
  output.finish(document);
}

}  // namespace

void add_forks(CLI::App& app) {
  const auto [command, options] = add_command(
      app, measure_forks, "forks",
      "What forks cost: variants that fork at every power of ten of their size, under each policy",
      "Example: tallcache forks counting_sort fib --threads 2");
  command->add_option("OPERATION", options->operations, "Operations; all that have a variant that forks");
  whole_in(command->add_option("--threads", options->threads,
                               "Threads, of which the caller is one; all by default"),
           2, most_threads);
  above_zero(command->add_option("--seconds", options->seconds, "Time to spend on each run of each size"))
      ->capture_default_str();
  above_zero(command->add_option("--shortest-run", options->shortest_run,
                                 "Seconds of one run on one thread from which sizes are measured"))
      ->capture_default_str();
  above_zero(command->add_option("--longest-run", options->longest_run,
                                 "Seconds of one run on one thread up to which sizes are measured"))
      ->capture_default_str();
  add_seed(*command, options->seed);
  command->add_flag("--smoke", options->smoke)->group("");
  add_host(*command);
  add_json(*command, options->json);
}

}  // namespace tallcache
