// tallcache counters: all counts of this machine for the steps from the textbook's text to the fastest
// variants, in one document that can be contributed.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "bench/measure/counted.hpp"
#include "bench/measure/interrupt.hpp"
#include "bench/measure/options.hpp"
#include "bench/measure/suite_run.hpp"
#include "bench/studies/counters/counters.hpp"
#include "common/catalogue.hpp"

namespace tallcache {
namespace {

struct CountersOptions : SuiteOptions {
  std::vector<std::string> events;
  bool multiplex = false;
};

// The steps that run on one thread; a library counts no threads of its own.
std::vector<Candidate> candidates_of(const Operation& operation, const OptimizationSteps& steps) {
  std::vector<Candidate> list;
  for (const Step& step : steps.steps) {
    if (step.all_cores || step.peer) continue;
    const Variant& variant = find_variant(operation, step.variant, steps.backend);
    list.push_back({&variant, complete_params(variant, step.params)});
  }
  return list;
}

void count_steps(Document& document, const Operation& operation, const OptimizationSteps& steps,
                 const CountersOptions& options) {
  const Problem problem{.operation = &operation,
                        .shape = complete_shape(operation, options.smoke ? steps.smoke : steps.shape),
                        .input = {},
                        .seed = options.seed};
  document.plan.push_back(
      CountersPlan{std::string(operation.name), std::string(operation.element), to_json(problem.shape)});
  const Sharing sharing = options.multiplex ? Sharing::multiplexed : Sharing::passes;
  count_each(problem, candidates_of(operation, steps), options.events, sharing,
             [&](const CountedVariant& variant) { document.put(to_record(problem, variant)); });
}

void counters(const CountersOptions& options) {
  SuiteRun run("counters", options, has_steps, "operation with steps");
  Document& document = run.document;
  if (!options.smoke) document.context.erase("mode");  // there are no others
  run.each(&Suite::steps, [&](const Operation& operation, const OptimizationSteps& part) {
    measure_and_show([&] { count_steps(document, operation, part, options); },
                     [&] { run.part(counters_text(document, document.plan.back(), Style::terminal)); });
  });
  run.finish();
}

}  // namespace

void add_counters(CLI::App& app) {
  const auto [command, options] = add_command(
      app, counters, "counters",
      "Everything that PAPI can count of each step to the fastest variants, to be contributed",
      "Where a processor shows no counters (most virtual machines), the kernel's events are counted, and\n"
      "each of the others is there with the reason why not. results/README.md says how to contribute.\n"
      "Example: tallcache counters --json counters.json\n"
      "         tallcache counters matmul --event PAPI_TOT_INS --event PAPI_TLB_DM");
  add_suite(*command, *options, has_steps);
  add_events(*command, options->events, "Only this event of PAPI's, as PAPI_BR_MSP; may be repeated");
  command->add_flag("--multiplex", options->multiplex,
                    "Events take turns in one run, and their counts are estimates; otherwise a run for every "
                    "few events");
}

}  // namespace tallcache
