// tallcache steps: where the time of the fastest variants goes, one step of their design after the other.
#include "bench/studies/steps/steps.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

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

struct StepsOptions : SuiteOptions {
  double seconds = 1;
};

Candidate candidate_of(const Operation& operation, const OptimizationSteps& steps, const Step& step) {
  const Variant& variant = find_variant(operation, step.variant, steps.backend);
  return {&variant, complete_params(variant, step.params), step.all_cores ? default_threads() : 1};
}

StepsPlan plan_of(const Problem& problem, const OptimizationSteps& steps) {
  StepsPlan plan{std::string(problem.operation->name),
                 std::string(steps.element),
                 std::string(steps.backend),
                 to_json(problem.shape),
                 std::string(steps.unit),
                 std::string(steps.limit),
                 steps.min_bytes,
                 {}};
  for (const Step& step : steps.steps) {
    const Candidate candidate = candidate_of(*problem.operation, steps, step);
    plan.steps.push_back({std::string(step.label), std::string(step.variant), to_json(candidate.params),
                          candidate.threads, step.peer, step.bytes});
  }
  return plan;
}

void measure_steps(Document& document, const Operation& operation, const OptimizationSteps& steps,
                   const StepsOptions& options) {
  const Problem problem{.operation = &operation,
                        .shape = complete_shape(operation, options.smoke ? steps.smoke : steps.shape),
                        .input = {},
                        .seed = options.seed};
  document.plan.push_back(plan_of(problem, steps));
  print(Stream::progress, "{} {} {} ...\n", operation.name, steps.element,
        to_string(operation, problem.shape));
  std::vector<Candidate> list;
  for (const Step& step : steps.steps) list.push_back(candidate_of(operation, steps, step));
  const Protocol protocol{.min_rounds = 3,
                          .max_rounds = 15,
                          .seconds = options.seconds,
                          .cold = steps.cold,
                          .planning = options.planning(),
                          .counts = device_memory_counts};
  for (const Measurement& m : measure_each(problem, list, protocol, options.device)) {
    Record record = to_record(problem, m);
    if (steps.cold) record.conditions["caches"] = "cold";
    document.put(std::move(record));
  }
}

void steps(const StepsOptions& options) {
  SuiteRun run("steps", options, has_steps, "operation with steps");
  Document& document = run.document;
  if (options.scale() == Scale::quick) document.context.erase("mode");  // for most operations the only one
  run.measure_limits();
  run.each(&Suite::steps, [&](const Operation& operation, const OptimizationSteps& part) {
    if (!options.smoke && part.from > options.scale()) return;
    measure_and_show([&] { measure_steps(document, operation, part, options); },
                     [&] { run.part(render(steps_grid(document, document.plan.back()), Style::terminal)); });
  });
  run.finish();
}

}  // namespace

void add_steps(CLI::App& app) {
  const auto [command, options] = add_command(
      app, steps, "steps",
      "Where the time goes: from the textbook's loops to the fastest variant, what each step brings",
      "Example: tallcache steps transpose --json steps.json");
  add_suite(*command, *options, has_steps);
  above_zero(command->add_option("--seconds", options->seconds, "Time to spend on each step"));
  add_backend(*command, *options);
  command->add_flag("--full", options->full, "Tables of one variant's parameters, too, up to seconds a run");
}

}  // namespace tallcache
