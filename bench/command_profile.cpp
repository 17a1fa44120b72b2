// tallcache profile: work, span and what they say of the speed-up, for the variants of one operation;
// Cilkview for oneTBB.
#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <optional>

#include "bench/candidates.hpp"
#include "bench/commands.hpp"
#include "bench/context.hpp"
#include "bench/json.hpp"
#include "bench/profiles.hpp"
#include "bench/report/gnuplot.hpp"
#include "common/catalogue.hpp"

namespace tallcache {
namespace {

struct ProfilingOptions : ProblemOptions {
  std::string csv, json, svg;
  bool unit_cost = false, measure = false;
  int threads = 1;
  // Not the machine's threads: in unit cost the figures are then the same everywhere.
  Index width = 8, grain = 1;
  std::optional<double> burden;
  double seconds = 0.5;

  CostUnit unit() const { return unit_cost ? CostUnit::accesses : CostUnit::nanoseconds; }
};

std::vector<Candidate> chosen(const Operation& operation, const ProfilingOptions& options) {
  std::vector<std::string> names = options.variants;
  if (names.empty())
    for (const Variant* variant : variants_of(operation))
      if (variant->profile && variant->parallel && variant->unavailable().empty())
        names.emplace_back(variant->name);
  if (names.empty()) throw Error(fmt::format("{} has no parallel variant here", operation.name));
  auto list = candidates(operation, names, options.params, 1, Backend::cpu);
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
    throw Error(fmt::format("{}: wrong result: {}", candidate.variant->name, check.message()));
  double used = best.work * 1e-9;
  for (int run = 1; !options.unit_cost && (run < 3 || (run < 25 && used < options.seconds)); ++run) {
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
  const int usable = usable_threads();
  for (int threads = 1; threads <= usable; ++threads)
    if (usable <= 16 || threads == usable || (threads & (threads - 1)) == 0) list.push_back(threads);
  return list;
}

std::vector<Measurement> timed(Workspace& workspace, const Candidate& candidate, double seconds) {
  std::vector<Candidate> list;
  for (int threads : thread_counts()) list.push_back({candidate.variant, candidate.params, threads});
  return measure(workspace, list, {.seconds = seconds});
}

void print(const ProfiledVariant& v, const ProfilingOptions& options) {
  const Profile& p = v.profile;
  const std::string params = to_string(v.candidate.params);
  const auto cost = [&](double value) {
    return options.unit_cost ? fmt::format("{:.0f}", value)
           : value >= 1e7    ? fmt::format("{:.3f} ms", value * 1e-6)
           : value >= 1e4    ? fmt::format("{:.3f} us", value * 1e-3)
                             : fmt::format("{:.0f} ns", value);
  };
  const auto average = [&](double value, std::uint64_t count) {
    return options.unit_cost ? fmt::format("{:.2f}", value / static_cast<double>(count))
                             : cost(value / static_cast<double>(count));
  };
  fmt::print("\n{}{}{}\n", v.candidate.variant->name, params.empty() ? "" : " ", params);
  const auto line = [](std::string_view what, const std::string& value) {
    fmt::print("  {:<28}{:>16}\n", what, value);
  };
  line("work", cost(p.work));
  line("span", cost(p.span));
  line("burdened span", cost(p.burdened_span));
  line("parallelism", fmt::format("{:.2f}", p.parallelism()));
  line("burdened parallelism", fmt::format("{:.2f}", p.burdened_parallelism()));
  line("spawns", fmt::format("{}", p.spawns));
  line("strands", fmt::format("{}", p.strands));
  line("average of a strand", average(p.work, p.strands));
  line("strands along the span", fmt::format("{}", p.strands_on_span));
  line("average of a strand on it", average(p.span, p.strands_on_span));
  std::string processors, ranges;
  for (int count : range_processors()) {
    const SpeedupRange range = speedup_range(p, count);
    const std::string text = fmt::format("{:.2f} - {:.2f}", range.low, range.high);
    processors += fmt::format("{:>16}", count);
    ranges += fmt::format("{:>16}", text);
  }
  fmt::print("  {:<12}{}\n  {:<12}{}\n", "processors", processors, "speed-up", ranges);
  for (const Measurement& m : v.times) {
    const int threads = m.candidate.threads;
    if (!m.timed()) {
      fmt::print("  on {}: {}\n", threads, m.outcome.reason);
      continue;
    }
    const double speedup = v.speedup(m);
    std::string laws;
    if (speedup > threads) laws += ", above P: caches or noise";
    if (!options.unit_cost && m.median_s() * 1e9 < p.span) laws += ", below the span that was measured";
    fmt::print("  measured on {}: {:.4f} ms +- {:.4f}, speed-up {:.2f}{}\n", threads, m.median_s() * 1e3,
               m.mad_s() * 1e3, speedup, laws);
  }
}

void run(ProfilingOptions& options) {
  const Problem problem = problem_of(options);
  const Operation& operation = *problem.operation;
  const auto list = chosen(operation, options);
  for (const Candidate& candidate : list) {
    if (std::string reason = candidate.variant->unavailable(); !reason.empty())
      throw Error(fmt::format("{} is unavailable: {}", candidate.variant->name, reason));
    if (!candidate.variant->supports(problem.shape))
      throw Error(fmt::format("{} does not support {}", candidate.variant->name,
                              to_string(operation, problem.shape)));
  }
  validate({.burden = options.burden.value_or(0),
            .threads = options.threads,
            .width = options.width,
            .grain = options.grain});
  options.width = std::max<Index>(options.width, options.threads);
  if (options.svg == "-") throw Error("--svg takes the name of a file");
  if (options.csv == "-" && options.json == "-")
    throw Error("--csv and --json cannot both have standard output");
  for (const std::string& file : {options.csv, options.json, options.svg})
    if (!file.empty()) require_writable(file);
  if (!options.svg.empty()) require_gnuplot();
  const bool measures = options.measure || options.threads > 1;

  const double burden = options.burden      ? *options.burden
                        : options.unit_cost ? cilkview_burden
                                            : measured_burden();
  const std::string_view unit = options.unit_cost ? "accesses" : "nanoseconds";
  const std::string_view origin = options.burden      ? "given"
                                  : options.unit_cost ? "Cilkview's"
                                                      : "measured here";
  const std::string title =
      fmt::format("{} {} {}", operation.name, operation.element, to_string(operation, problem.shape));
  const bool text = options.json != "-" && options.csv != "-";
  if (text)
    fmt::print("{}\ncosts in {}, burden of a steal {:.0f} ({}), on {} thread{}, {} blocks, grain {}\n", title,
               options.unit_cost ? "units: one a strand, one an access of an element" : unit, burden, origin,
               options.threads, options.threads == 1 ? "" : "s", options.width, options.grain);

  const auto executor = make_host_executor();
  Workspace workspace(problem, *executor);
  std::vector<ProfiledVariant> results;
  for (const Candidate& candidate : list) {
    ProfiledVariant& result = results.emplace_back();
    result.candidate = candidate;
    result.profile = profiled(workspace, candidate, options, burden);
    if (measures) result.times = timed(workspace, candidate, options.seconds);
    if (text) print(result, options);
  }

  if (!options.csv.empty()) write_text(options.csv, cilkscale_csv(results, options.unit()));
  if (!options.svg.empty()) plot_speedups(options.svg, title, results);
  if (options.json.empty()) return;
  Json document{{"operation", operation.name},
                {"element", operation.element},
                {"shape", to_json(problem.shape)},
                {"input", workspace.problem().input},
                {"unit", unit},
                {"burden", burden},
                {"burden_origin", origin},
                {"threads", options.threads},
                {"width", options.width},
                {"grain", options.grain},
                {"variants", Json::array()}};
  for (const ProfiledVariant& result : results)
    document["variants"].push_back(to_json(result, options.unit()));
  document["context"] = machine_context();
  write_json(options.json, document);
}

}  // namespace

void add_profile(CLI::App& app) {
  const auto options = std::make_shared<ProfilingOptions>();
  CLI::App* command = app.add_subcommand(
      "profile", "Work, span, parallelism and the speed-up to expect, of variants that fork");
  add_problem(*command, *options, "all that fork").shape->required();
  command->add_flag("--unit-cost", options->unit_cost,
                    "Count in place of timing: one a strand, one an access of an element; always the same");
  command->add_option(
      "--burden", options->burden,
      "What a steal costs, in the unit of the costs; as measured here in nanoseconds, Cilkview's "
      "15000 in unit cost");
  command->add_option("--threads", options->threads, "How many run the program while it is profiled")
      ->capture_default_str();
  command
      ->add_option("--width", options->width,
                   "Blocks into which algorithms cut their input that cut it by number; at least --threads")
      ->capture_default_str();
  command->add_option("--grain", options->grain, "Iterations in a leaf of a parallel loop")
      ->capture_default_str();
  command->add_flag("--measure", options->measure,
                    "Also time each variant on 1, 2, ... threads; so it is with --threads above 1");
  command
      ->add_option("--seconds", options->seconds,
                   "Time to spend on each variant, profiling and on each number of threads")
      ->check(CLI::PositiveNumber);
  command->add_option("--csv", options->csv, "Write Cilkscale's columns to FILE ('-': standard output)")
      ->type_name("FILE");
  command->add_option("--svg", options->svg, "Plot bounds and measured speed-ups into FILE (gnuplot)")
      ->type_name("FILE");
  command->add_option("--json", options->json, "Write the profiles to FILE ('-': standard output)")
      ->type_name("FILE");
  command->footer(
      "Example: tallcache profile matmul recursive recursive_temporary --shape m=512 --measure --svg s.svg");
  command->callback([options] { run(*options); });
}

}  // namespace tallcache
