// tallcache misses: cache misses of the variants of one operation, by level and kind, beside the theory.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>

#include "bench/measure/candidates.hpp"
#include "bench/measure/context.hpp"
#include "bench/measure/counted.hpp"
#include "bench/measure/host_options.hpp"
#include "bench/measure/interrupt.hpp"
#include "bench/measure/misses.hpp"
#include "bench/measure/options.hpp"
#include "bench/measure/output.hpp"
#include "bench/measure/sweep.hpp"
#include "bench/show/drawing.hpp"
#include "bench/show/fit.hpp"
#include "bench/show/streams.hpp"
#include "bench/studies/misses/capacity_cliffs.hpp"
#include "bench/studies/misses/curve.hpp"
#include "bench/studies/misses/misses.hpp"
#include "bench/studies/misses/records.hpp"
#include "bench/studies/misses/requests.hpp"
#include "bench/studies/misses/scheduled.hpp"
#include "bench/studies/misses/theory.hpp"
#include "common/backend.hpp"
#include "common/papi/source.hpp"

namespace tallcache {
namespace {

struct MissesOptions : ProblemOptions {
  std::string line, source = "auto", svg, json, backend = "cpu", machine = "h200", strands;
  int device = 0;
  std::vector<std::string> caches, events;
  bool curve = false, cliffs = false;
  ScheduledOptions scheduled;
};

struct MissesPlan {
  Problem problem;
  std::vector<Candidate> candidates, traced;
  std::vector<cache::CacheLevel> levels;
  SourceChoice choice;
  bool curve;
  std::string note{};  ///< on the candidates' parameters
};

void require_work(const Problem& problem) {
  if (!(work_of(*problem.operation, problem.shape).amount > 0))
    throw Error("this shape has nothing to count");
}

// Theory is of recursions down to the end. A leaf is a loop, whose misses have a cliff of their own: without
// --param base every base is the least. Says which ones that changed.
std::string take_least_base(std::vector<Candidate>& list, const MissesOptions& options) {
  for (const std::string& param : options.params)
    if (param.starts_with("base=")) return {};
  std::string names;
  for (Candidate& candidate : list)
    for (const ParamSpec& spec : candidate.variant->params)
      if (spec.name == "base") {
        candidate.params.set(spec.name, spec.min);
        names += fmt::format("{}{} {} (else {})", names.empty() ? "" : ", ", candidate.variant->name,
                             spec.min, spec.default_value);
      }
  return names.empty() ? names
                       : fmt::format("The base is the least where --param base=... names none: {}.", names);
}

// Everything that can be refused is, before anything is counted.
MissesPlan planned(const MissesOptions& options) {
  MissesPlan plan{.problem = problem_of(options), .curve = options.curve || !options.svg.empty()};
  plan.candidates = candidates(*plan.problem.operation, options.variants, options.params, 1, "cpu");
  plan.note = take_least_base(plan.candidates, options);
  const Source asked = parse_source(options.source);
  plan.levels = cache_levels(options.caches, options.line);
  plan.choice = options.caches.empty() || asked != Source::automatic
                    ? choose_source(asked)
                    : SourceChoice{Source::simulated, "simulated: the caches are named"};
  if (plan.choice.source == Source::hardware && !options.caches.empty())
    throw Error("--source hardware counts this machine's caches: it goes without --cache");
  require_work(plan.problem);

  for (const Candidate& candidate : plan.candidates)
    if (obstacle(plan.problem, candidate, Source::simulated).status == Status::pending)
      plan.traced.push_back(candidate);
  const bool traces = plan.curve || options.cliffs;
  if ((traces || plan.choice.source == Source::simulated) && !plan.traced.empty())
    require_traceable(plan.problem, plan.traced, plan.levels);
  if (traces && plan.traced.empty()) throw Error("no variant here can be traced");
  if (options.svg == "-") throw Error("--svg takes the name of a file");
  for (const std::string& file : {options.json, options.svg}) require_writable(file);
  return plan;
}

MissesPart part_of(const MissesPlan& plan) {
  MissesPart part{planned_problem(plan.problem)};
  part.source = to_string(plan.choice.source), part.reason = plan.choice.reason, part.caches = plan.levels;
  return part;
}

// Between two candidates.
void tell_next(const Problem& problem, const Candidate& candidate) {
  stop_if_interrupted();
  if (verbosity() == Verbosity::verbose)
    print(Stream::progress, "{} {} ...\n", problem.operation->name, candidate.variant->name);
}

// The executor counts hardware events; none is needed to simulate.
void count(const MissesPlan& plan, Executor* executor, Document& document) {
  std::unique_ptr<Workspace> workspace;
  if (executor) workspace = std::make_unique<Workspace>(plan.problem, *executor);
  for (const Candidate& candidate : plan.candidates) {
    tell_next(plan.problem, candidate);
    document.put(counted_record(plan.problem, candidate, plan.choice.source, plan.levels, workspace.get()));
  }
}

// The events that are named, beside the misses.
void count_events(const MissesPlan& plan, std::span<const std::string> events, Document& document) {
  count_each(plan.problem, plan.candidates, events, Sharing::passes,
             [&](const CountedVariant& variant) { merge(document, to_record(plan.problem, variant)); });
}

void trace_curves(const MissesPlan& plan, Document& document) {
  std::vector<Curve> curves;
  const auto put = [&] {
    const auto sizes = curve_sizes(curves, plan.levels);
    for (const Curve& curve : curves) {
      Record record = to_record(plan.problem, curve.candidate);
      record.outcome.status = Status::measured;
      put_curve(record, plan.problem, curve, sizes);
      merge(document, std::move(record));
    }
  };
  measure_and_show(
      [&] {
        for (const Candidate& candidate : plan.traced)
          curves.push_back(trace_curve(plan.problem, candidate, plan.levels.front().line));
      },
      put);
}

void measure_cliffs(const MissesPlan& plan, Document& document) {
  const std::vector<Shape> sweep = cliff_sweep(plan.problem);
  PlannedSweep falls{std::string(plan.problem.operation->dims[0].name), {}};
  for (const Shape& shape : sweep) falls.ladder.push_back(to_json(shape));
  document.plan[0]["falls"] = falls;
  measure_cliffs(plan.problem, plan.traced, plan.levels, sweep, document);
}

// The options of each shape of a sweep.
std::vector<MissesOptions> swept(const MissesOptions& options) {
  std::vector<MissesOptions> list;
  for (const std::string& shape : swept_shapes(std::string(options.shape)))
    list.emplace_back(options).shape = shape;
  if (list.size() > 1 && (options.cliffs || !options.svg.empty() || !options.scheduled.processors.empty()))
    throw Error("--svg, --falls and --caches take one shape, not a sweep");
  return list;
}

Problem problem_on_device(const MissesOptions& options) {
  Problem problem = problem_of(options);
  require_work(problem);
  require_modellable(problem);
  return problem;
}

// A device's caches are not traced: what its warps ask for is modelled, and counted where it can be.
void run_on_device(const MissesOptions& options) {
  if (!options.caches.empty() || !options.line.empty() || options.source != "auto" || options.curve ||
      options.cliffs || !options.svg.empty() || !options.events.empty())
    throw Error("--cache, --line, --source, --curve, --svg, --event and --falls are of the CPU's variants");
  const std::vector<MissesOptions> shapes = swept(options);  // problems refer to their words
  std::vector<Problem> problems;
  for (const MissesOptions& one : shapes) problems.push_back(problem_on_device(one));
  const cache::WarpMachine& machine = cache::warp_machine(options.machine);
  const auto list =
      candidates(*problems.front().operation, options.variants, options.params, 1, options.backend);
  const Output output(options.json);
  Document document{.kind = "misses", .context = machine_context(options.device), .plan = Json::array()};
  for (const Problem& problem : problems) {
    MissesPart part{planned_problem(problem)};
    part.machine = machine.name;
    document.plan.push_back(part);
  }
  measure_and_show(
      [&] {
        for (const Problem& problem : problems)
          count_requests(problem, list, machine, options.device, document, [&] { output.keep(document); });
      },
      [&] { output.part(document, misses_text(document, Style::terminal)); });
  output.finish(document);
  require_device(options.device);
}

// The variants that are named, or all that fork.
std::vector<Candidate> scheduled_candidates(const Operation& operation, const MissesOptions& options) {
  std::vector<Candidate> list = candidates(operation, options.variants, options.params, 1, "cpu");
  if (options.variants.empty())
    std::erase_if(list, [](const Candidate& candidate) {
      return !candidate.variant->parallel || !candidate.variant->trace;
    });
  if (list.empty()) throw Error(fmt::format("no variant of {} forks", operation.name));
  return list;
}

// Throws the first reason where nothing was measured.
void require_any(const Document& document) {
  const auto measured = [](const Record& record) { return record.outcome.measured(); };
  if (document.measurements.empty() || std::ranges::any_of(document.measurements, measured)) return;
  throw Error(fmt::format("{}: {}", document.measurements.front().variant,
                          document.measurements.front().outcome.reason));
}

// P private caches, under schedulers.
void run_scheduled(const MissesOptions& options) {
  if (options.source != "auto" || options.curve || options.cliffs || !options.events.empty())
    throw Error("--source, --curve, --event and --falls are not of private caches (--caches)");
  const Problem problem = problem_of(options);
  std::vector<Candidate> list = scheduled_candidates(*problem.operation, options);
  const std::string note = take_least_base(list, options);
  MissesPart part{planned_problem(problem)};
  part.scheduled = scheduled_part(options.scheduled, options.caches, options.line, options.seed);
  require_work(problem);
  require_traceable(problem, list, part.scheduled->sizes);
  if (!options.strands.empty() && (list.size() > 1 || part.scheduled->processors.size() > 1))
    throw Error("--strands writes those of one variant and one number of caches");
  if (options.svg == "-") throw Error("--svg takes the name of a file");
  for (const std::string& file : {options.svg, options.strands}) require_writable(file);

  const Output output(options.json);
  Document document{.kind = "misses", .context = machine_context(), .plan = Json::array({part})};
  measure_and_show(
      [&] {
        for (const Candidate& candidate : list) {
          tell_next(problem, candidate);
          document.put(scheduled_record(problem, candidate, *part.scheduled));
          output.keep(document);
        }
      },
      [&] {
        require_any(document);
        output.part(document, (note.empty() ? note : wrapped(note, line_width()) + "\n") +
                                  misses_text(document, Style::terminal));
      });
  if (!options.svg.empty()) write_text(options.svg, svg_file(misses_chart(document)));
  if (!options.strands.empty())
    write_text(options.strands,
               strands_text(problem, list.front(), *part.scheduled, part.scheduled->processors.front()));
  output.finish(document);
}

void measure_misses(const MissesOptions& options) {
  if (!options.scheduled.processors.empty()) {
    swept(options);  // refuses one
    if (!find_backend(options.backend).host) throw Error("--caches is of the CPU's variants");
    return run_scheduled(options);
  }
  if (options.scheduled.coherent || options.scheduled.miss_steps || !options.strands.empty())
    throw Error("--coherence, --miss-steps and --strands go with --caches");
  if (!find_backend(options.backend).host) return run_on_device(options);
  const std::vector<MissesOptions> shapes = swept(options);  // problems refer to their words
  std::vector<MissesPlan> plans;
  for (const MissesOptions& one : shapes) plans.push_back(planned(one));
  Document document{.kind = "misses", .context = machine_context(), .plan = Json::array()};
  for (const MissesPlan& plan : plans) document.plan.push_back(part_of(plan));
  const NotedInterrupts noted;
  const auto show = [&] {
    if (options.json != "-" && verbosity() != Verbosity::quiet) {
      if (const std::string& note = plans.front().note; !note.empty())
        print("{}\n", wrapped(note, line_width()));
      print_text(Stream::output, misses_text(document, Style::terminal));
    }
    if (!options.json.empty()) write_document(options.json, document);
  };
  const bool in_hardware = plans.front().choice.source == Source::hardware;
  const auto executor = in_hardware ? make_executor("cpu") : nullptr;
  measure_and_show(
      [&] {
        for (const MissesPlan& plan : plans) {
          count(plan, executor.get(), document);
          if (!options.events.empty()) count_events(plan, options.events, document);
          if (plan.curve) trace_curves(plan, document);
          if (options.cliffs) measure_cliffs(plan, document);
        }
      },
      show);
  if (!options.svg.empty()) write_text(options.svg, svg_file(misses_chart(document)));
  require_right(document.measurements);
}

void add_scheduled(CLI::App& command, MissesOptions& options) {
  whole_in(command.add_option("--caches", options.scheduled.processors,
                              "Misses in so many private caches, of variants that fork, beside the bounds: "
                              "1,4,16; --cache then names their sizes, any number of them"),
           1, cache::max_processors)
      ->delimiter(',');
  command
      .add_option("--scheduler", options.scheduled.schedulers,
                  "Who runs what on the processors of --caches: work-stealing, heartbeat, depth-first, "
                  "parallel-depth-first; several with commas")
      ->delimiter(',')
      ->capture_default_str();
  command.add_flag("--coherence", options.scheduled.coherent,
                   "MSI between the caches of --caches, with true and false sharing");
  whole_in(command.add_option("--miss-steps", options.scheduled.miss_steps,
                              "The steps that a miss in a cache of --caches takes more than a hit"),
           0, 1000000);
  add_output_file(command, "--strands", options.strands,
                  "Write the strands and their accesses as text to FILE");
}

}  // namespace

void add_misses(CLI::App& app) {
  const auto [command, options] = add_command(
      app, measure_misses, "misses",
      "Count cache misses of variants through PAPI, by level and kind, beside the theory",
      "Example: tallcache misses matmul naive recursive --shape m=200 --param base=4 --curve --svg q.svg\n"
      "A leaf of REC-MULT is a loop: with the base of a timed run its misses have a cliff where a leaf "
      "no longer fits.");
  options->smallest_shape = true;  // every access is simulated
  add_problem(*command, *options, "all of them");
  command->add_option("--cache", options->caches,
                      "A level of cache: 32K is fully associative, 32K:8 has 8 ways; up to three, the first "
                      "level first; this machine's when left out");
  command->add_option("--line", options->line, "Bytes of a cache line; this machine's, or 64 with --cache");
  command->add_option("--source", options->source,
                      "hardware, simulated, or auto: hardware where PAPI counts misses");
  command->add_flag("--curve", options->curve, "Add the misses at every cache size to the JSON");
  add_events(*command, options->events,
             "Also count this event of PAPI's in runs at full speed, as PAPI_BR_MSP; may be repeated");
  add_output_file(*command, "--svg", options->svg, "Plot the misses at every cache size into FILE");
  command->add_flag("--falls", options->cliffs,
                    "Also: the size at which each variant falls off each cache, and where its time jumps");
  command
      ->add_option("--backend", options->backend,
                   "cpu: cache misses; gpu: requests, sectors and wavefronts, by a model and by the counters")
      ->capture_default_str();
  command->add_option("--machine", options->machine, "The GPU whose rules the model of requests has")
      ->capture_default_str();
  add_device(*command, options->device, "Number of the GPU to count on");
  add_scheduled(*command, *options);
  add_host(*command);
  add_json(*command, options->json);
}

}  // namespace tallcache
