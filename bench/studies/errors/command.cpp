// tallcache errors: the rounding errors of an operation's variants as a size grows, and beside their speeds.
#include "bench/studies/errors/errors.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cmath>

#include "bench/measure/candidates.hpp"
#include "bench/measure/interrupt.hpp"
#include "bench/measure/options.hpp"
#include "bench/measure/suite_run.hpp"
#include "common/backend.hpp"
#include "common/catalogue.hpp"

namespace tallcache {
namespace {

struct ErrorsOptions : SuiteOptions {
  double seconds = 0.3;
};

struct Examined {
  Candidate candidate;

  /// Its errors are bounded by norms alone, and not element by element: it is measured on the timed shape
  /// only.
  bool normwise() const { return candidate.variant->error_class == ErrorClass::normwise; }
};

std::vector<Examined> examined(const Operation& operation, const ErrorStudy& study) {
  std::vector<Examined> list;
  for (const ErrorRun& run : study.runs) {
    const Variant& variant = find_variant(operation, run.variant, study.backend);
    list.push_back({{&variant, complete_params(variant, run.params)}});
  }
  if (study.runs.empty())
    for (const Variant* variant : variants_of(operation))
      if (variant->backend == study.backend) list.push_back({{variant, complete_params(*variant, {})}});
  return list;
}

ErrorsPlan plan_of(const Operation& operation, const ErrorStudy& study, const ErrorsOptions& options,
                   const std::vector<Examined>& list) {
  ErrorsPlan plan{
      .operation = std::string(operation.name),
      .element = std::string(study.element),
      .backend = std::string(study.backend),
      .dimension = std::string(study.dimension),
      .relative_to = std::string(study.relative_to),
      .timed = to_json(complete_shape(operation, options.smoke ? study.smoke_timed : study.timed)),
      .inputs = {study.inputs.begin(), study.inputs.end()}};
  if (!study.theory.empty()) plan.theory = study.theory;
  for (const Shape& shape : options.smoke ? study.smoke_ladder : study.ladder)
    plan.ladder.push_back(to_json(complete_shape(operation, shape)));
  for (const Examined& one : list)
    plan.runs.push_back(
        {std::string(one.candidate.variant->name), to_json(one.candidate.params), one.normwise()});
  return plan;
}

void put_errors(Record& record, const ErrorStudy& study, const RoundingErrors& errors) {
  const std::string relative = fmt::format("|result - exact| over {}, u = 2^-{}", study.relative_to,
                                           study.element.ends_with("double") ? 53 : 24);
  record.quantities.push_back({"max error", "u", errors.max, Origin::reference, "largest " + relative});
  record.quantities.push_back({"mean error", "u", errors.mean, Origin::reference, "mean " + relative});
}

// The errors of one run on the inputs of `reference`, added to the record of it.
void examine(Record& record, Workspace& workspace, const Examined& one, const ErrorStudy& study,
             const ErrorReference& reference) {
  record.outcome = before_running(workspace.problem(), one.candidate);
  if (record.outcome.status != Status::pending) return;
  const Check check = workspace.verify(one.candidate);
  const RoundingErrors errors = reference.errors(workspace.outputs()[0]);
  if (std::isnan(errors.max) || !check) {
    record.outcome = {Status::wrong, check ? "an element is not finite" : check.message()};
    record.quantities.clear();
    return;
  }
  record.outcome = {Status::measured};
  put_errors(record, study, errors);
}

// The runs of one shape and kind of input. Timed, those that cannot run or are wrong leave the list.
void measure_problem(Document& document, const Operation& operation, const ErrorStudy& study,
                     const ErrorsOptions& options, std::vector<Examined>& list, const Shape& shape,
                     std::string_view input, bool timed) {
  const auto reference = study.reference(shape, input, options.seed);
  const Problem problem{.operation = &operation,
                        .shape = complete_shape(operation, shape),
                        .input = input,
                        .seed = options.seed,
                        .own_inputs = [&](std::span<std::byte* const> buffers) { reference->fill(buffers); }};
  std::vector<Candidate> candidates;
  for (const Examined& one : list) candidates.push_back(one.candidate);
  std::vector<Record> records;
  if (timed) {
    for (const Measurement& m :
         measure_each(problem, candidates, {.seconds = options.seconds}, options.device))
      records.push_back(to_record(problem, m));
    for (std::size_t i = list.size(); i-- > 0;) {
      if (records[i].outcome.measured()) continue;
      document.put(records[i]);
      records.erase(records.begin() + static_cast<std::ptrdiff_t>(i));
      list.erase(list.begin() + static_cast<std::ptrdiff_t>(i));
    }
  } else {
    for (const Candidate& candidate : candidates) records.push_back(to_record(problem, candidate));
  }
  if (list.empty()) return;
  const auto executor = make_executor(study.backend, options.device);
  Workspace workspace(problem, *executor);
  for (std::size_t i = 0; i < list.size(); ++i) {
    stop_if_interrupted();
    examine(records[i], workspace, list[i], study, *reference);
    document.put(std::move(records[i]));
  }
}

void measure_study(Document& document, const Operation& operation, const ErrorStudy& study,
                   const ErrorsOptions& options) {
  std::vector<Examined> list = examined(operation, study);
  document.plan.push_back(plan_of(operation, study, options, list));
  const Shape& timed = options.smoke ? study.smoke_timed : study.timed;
  for (const std::string_view input : study.inputs)
    measure_problem(document, operation, study, options, list, timed, input, input == study.inputs[0]);
  std::erase_if(list, [](const Examined& one) { return one.normwise(); });
  for (const Shape& shape : options.smoke ? study.smoke_ladder : study.ladder)
    for (const std::string_view input : study.inputs)
      // A rung of the timed shape has its errors, and a record without a time would take that one's place.
      if (complete_shape(operation, shape) != complete_shape(operation, timed))
        measure_problem(document, operation, study, options, list, shape, input, false);
}

void errors(const ErrorsOptions& options) {
  SuiteRun run("errors", options, has_errors, "operation whose errors are measured");
  Document& document = run.document;
  if (!options.smoke) document.context.erase("mode");  // there are no others
  run.each(&Suite::errors, [&](const Operation& operation, const ErrorStudy& study) {
    measure_and_show([&] { measure_study(document, operation, study, options); },
                     [&] { run.part(errors_text(document, document.plan.back(), Style::terminal)); });
  });
  run.finish();
}

}  // namespace

void add_errors(CLI::App& app) {
  const auto [command, options] = add_command(
      app, errors, "errors",
      "Rounding errors beside speeds: how many digits variants lose as a problem grows, against results in "
      "a higher precision",
      "Example: tallcache errors matmul --json errors.json");
  add_suite(*command, *options, has_errors);
  above_zero(command->add_option("--seconds", options->seconds, "Time to spend on each variant's speed"));
  add_backend(*command, *options);
}

}  // namespace tallcache
