// tallcache profile: work, span and what they say of the speed-up, for the variants of one operation;
// Cilkview for oneTBB.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <optional>

#include "bench/measure/candidates.hpp"
#include "bench/measure/context.hpp"
#include "bench/measure/host_options.hpp"
#include "bench/measure/options.hpp"
#include "bench/measure/output.hpp"
#include "bench/measure/sweep.hpp"
#include "bench/show/drawing.hpp"
#include "bench/show/streams.hpp"
#include "bench/studies/profile/profile.hpp"
#include "common/catalogue.hpp"

namespace tallcache {
namespace {

// Of --width and --grain.
constexpr Index most_iterations = 1'000'000'000;

struct ProfilingOptions : ProblemOptions {
  std::string csv, json, svg;
  ForkPolicy fork = default_fork_policy;
  bool unit_cost = false, measure = false;
  int threads = 1;
  // Not the machine's threads: in unit cost the figures are then the same everywhere.
  Index width = 8, grain = 1;
  std::optional<double> burden;
  double seconds = 0.5;

  std::string_view unit_name() const { return unit_cost ? "access" : "ns"; }
  CostUnit unit() const { return unit_cost ? CostUnit::accesses : CostUnit::nanoseconds; }
};

std::vector<Candidate> chosen(const Operation& operation, const ProfilingOptions& options) {
  std::vector<std::string> names = options.variants;
  if (names.empty())
    for (const Variant* variant : variants_of(operation))
      if (variant->profile && variant->parallel && variant->unavailable().empty())
        names.emplace_back(variant->name);
  if (names.empty()) throw Error(fmt::format("{} has no parallel variant here", operation.name));
  auto list = candidates(operation, names, options.params, 1, "cpu");
  for (Candidate& candidate : list) {
    if (!candidate.variant->profile)
      throw Error(fmt::format("{}: a library: not profiled", candidate.variant->name));
    candidate.params = complete_params(*candidate.variant, candidate.params);
  }
  return list;
}

// In nanoseconds the run of least work of several, as anything else that runs adds to it.
Profile profiled(Workspace& workspace, const Candidate& candidate, const ProfilingOptions& options,
                 double burden) {
  const ProfileOptions how{.burden = burden,
                           .threads = options.threads,
                           .width = candidate.variant->parallel ? options.width : 1,
                           .grain = options.grain};
  Profile best = workspace.profile(candidate, options.unit(), how);
  if (const Check check = workspace.check(); !check)
    throw Error(fmt::format("{}: wrong result: {}", candidate.variant->name, check.message()), Status::wrong);
  double used = best.work * 1e-9;
  for (int run = 1; !options.unit_cost && (run < 3 || (run < 25 && used < options.seconds)); ++run) {
    stop_if_interrupted();
    const Profile next = workspace.profile(candidate, options.unit(), how);
    used += next.work * 1e-9;
    // The first run pays for its memory's first touch.
    if (run == 1 || next.work < best.work) best = next;
  }
  return best;
}

// 1, 2, 3, ... threads; of more than 16 only the powers of two and all of them.
std::vector<int> thread_counts() {
  std::vector<int> list;
  const int usable = default_threads();
  for (int threads = 1; threads <= usable; ++threads)
    if (usable <= 16 || threads == usable || (threads & (threads - 1)) == 0) list.push_back(threads);
  return list;
}

std::vector<Measurement> timed(Workspace& workspace, const Candidate& candidate, double seconds) {
  std::vector<Candidate> list;
  for (int threads : thread_counts()) list.push_back({candidate.variant, candidate.params, threads});
  return measure(workspace, list, {.seconds = seconds},
                 [](std::span<const Measurement>) { stop_if_interrupted(); });
}

struct ProblemToProfile {
  Problem problem;
  std::vector<Candidate> candidates;
};

ProblemToProfile planned_one(const ProfilingOptions& options) {
  const Problem problem = problem_of(options);
  const auto list = chosen(*problem.operation, options);
  for (const Candidate& candidate : list) {
    if (std::string reason = candidate.variant->unavailable(); !reason.empty())
      throw Error(fmt::format("{} is unavailable: {}", candidate.variant->name, reason));
    if (!candidate.variant->supports(problem.shape))
      throw Error(fmt::format("{} does not support {}", candidate.variant->name,
                              to_string(*problem.operation, problem.shape)));
  }
  return {problem, list};
}

// The problems of a sweep. Everything that can be refused is, before anything runs.
std::vector<ProblemToProfile> planned(ProfilingOptions& options) {
  std::vector<ProblemToProfile> list;
  for (const std::string& shape : swept_shapes(std::string(options.shape))) {
    options.shape = shape;
    list.push_back(planned_one(options));
  }
  validate({.burden = options.burden.value_or(0),
            .threads = options.threads,
            .width = options.width,
            .grain = options.grain});
  options.width = std::max<Index>(options.width, options.threads);
  if (options.svg == "-") throw Error("--svg takes the name of a file");
  if (options.csv == "-" && options.json == "-")
    throw Error("--csv and --json cannot both have standard output");
  for (const std::string& file : {options.csv, options.json, options.svg}) require_writable(file);
  return list;
}

ProfilePart part_of(const Problem& problem, const ProfilingOptions& options) {
  return {planned_problem(problem),
          std::string(options.unit_name()),
          options.threads,
          options.width,
          options.grain,
          std::string(name_of(options.fork))};
}

// The profile of a candidate and its times.
void put_records(Document& document, Workspace& workspace, const Candidate& candidate,
                 const ProfilingOptions& options, double burden) {
  const char* origin = options.burden ? "given" : options.unit_cost ? "Cilkview's" : "measured here";
  Record record = to_record(workspace.problem(), candidate);
  record.threads = options.threads;
  record.conditions = {{"profiled", options.unit_name()}, {"width", options.width}, {"grain", options.grain}};
  put_profile(record, profiled(workspace, candidate, options, burden), burden, origin);
  record.outcome.status = Status::measured;
  document.put(std::move(record));
  if (!options.measure && options.threads == 1) return;
  for (const Measurement& m : timed(workspace, candidate, options.seconds))
    document.put(to_record(workspace.problem(), m));
}

void profile_problem(ProfilingOptions& options) {
  set_fork_policy(options.fork);
  const std::vector<ProblemToProfile> list = planned(options);
  const double burden = options.burden      ? *options.burden
                        : options.unit_cost ? cilkview_burden
                                            : measured_burden(options.fork);
  Document document{.kind = "profile", .context = machine_context(), .plan = Json::array()};
  for (const ProblemToProfile& one : list) document.plan.push_back(part_of(one.problem, options));
  const bool text = options.json != "-" && options.csv != "-";
  if (text) print_text(Stream::report, profile_heading(document));
  const auto executor = make_executor("cpu");
  const NotedInterrupts noted;
  measure_and_show(
      [&] {
        for (const ProblemToProfile& one : list) {
          Workspace workspace(one.problem, *executor);
          for (const Candidate& candidate : one.candidates) {
            stop_if_interrupted();
            put_records(document, workspace, candidate, options, burden);
            if (text)
              print_text(Stream::report, profile_text(profiled_variants(document).back(), Style::terminal));
          }
        }
      },
      [&] {
        if (!options.json.empty()) write_document(options.json, document);
        if (!options.csv.empty()) write_text(options.csv, cilkscale_csv(document));
        if (!options.svg.empty()) write_text(options.svg, svg_file(speedup_chart(document)));
      });
  require_right(document.measurements);
}

}  // namespace

void add_profile(CLI::App& app) {
  const auto [command, options] = add_command(
      app, profile_problem, "profile",
      "Work, span, parallelism and the speed-up to expect, of variants that fork",
      "Example: tallcache profile matmul recursive recursive_temporary --shape m=512 --measure --svg s.svg");
  add_problem(*command, *options, "all that fork");
  command->add_flag("--unit-cost", options->unit_cost,
                    "Count in place of timing: one a strand, one an access of an element; always the same");
  number_in(command->add_option(
                "--burden", options->burden,
                "What a steal costs, in the unit of the costs; as measured here in nanoseconds, Cilkview's "
                "15000 in unit cost"),
            0, 1e12);
  whole_in(
      command->add_option("--threads", options->threads, "How many run the program while it is profiled"), 1,
      most_threads)
      ->capture_default_str();
  whole_in(command->add_option(
               "--width", options->width,
               "Blocks into which algorithms cut their input that cut it by number; at least --threads"),
           1, most_iterations)
      ->capture_default_str();
  whole_in(command->add_option("--grain", options->grain, "Iterations in a leaf of a parallel loop"), 1,
           most_iterations)
      ->capture_default_str();
  add_fork(*command, options->fork);
  command->add_flag("--measure", options->measure,
                    "Also time each variant on 1, 2, ... threads; so it is with --threads above 1");
  above_zero(command->add_option("--seconds", options->seconds,
                                 "Time to spend on each variant, profiling and on each number of threads"));
  add_output_file(*command, "--csv", options->csv,
                  "Write Cilkscale's columns to FILE ('-': standard output)");
  add_output_file(*command, "--svg", options->svg, "Plot bounds and measured speed-ups into FILE");
  add_host(*command);
  add_json(*command, options->json);
}

}  // namespace tallcache
