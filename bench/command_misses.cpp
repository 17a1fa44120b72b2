// tallcache misses: cache misses of the variants of one operation, by level and kind, beside the theory.
#include <fmt/format.h>

#include <memory>

#include "bench/candidates.hpp"
#include "bench/commands.hpp"
#include "bench/context.hpp"
#include "bench/json.hpp"
#include "bench/misses.hpp"
#include "bench/misses_curve.hpp"
#include "bench/misses_falls.hpp"
#include "bench/misses_theory.hpp"
#include "bench/report/gnuplot.hpp"
#include "common/catalogue.hpp"
#include "common/papi/source.hpp"

namespace tallcache {
namespace {

struct MissesOptions : ProblemOptions {
  std::string line, source = "auto", svg, json;
  std::vector<std::string> caches;
  bool curve = false, falls = false;
};

struct Result {
  Candidate candidate;  ///< its params complete
  MissCounts counts;
  std::string problem;  ///< why there are no counts
};

// Why `candidate` cannot be counted from `source`, or empty.
std::string obstacle(const Problem& problem, const Candidate& candidate, Source source) {
  const Variant& variant = *candidate.variant;
  if (source == Source::simulated && !variant.trace) return "a library: not traced";
  if (std::string reason = variant.unavailable(); !reason.empty()) return "unavailable: " + reason;
  return variant.supports(problem.shape) ? "" : "does not support this shape";
}

std::vector<Result> count(const Problem& problem, std::span<const Candidate> list, Source source,
                          std::span<const cache::CacheLevel> levels) {
  std::unique_ptr<Executor> executor;
  std::unique_ptr<Workspace> workspace;
  if (source == Source::hardware) {
    executor = make_host_executor();
    workspace = std::make_unique<Workspace>(problem, *executor);
  }
  std::vector<Result> results;
  for (const Candidate& candidate : list) {
    Result& result = results.emplace_back();
    result.candidate = candidate;
    result.candidate.params = complete_params(*candidate.variant, candidate.params);
    result.problem = obstacle(problem, candidate, source);
    if (!result.problem.empty()) continue;
    if (source == Source::simulated) {
      result.counts = simulated_misses(problem, candidate, levels);
    } else if (const Check check = workspace->verify(candidate); !check) {
      result.problem = "wrong result: " + check.message();
    } else {
      result.counts = hardware_misses(*workspace, candidate);
    }
  }
  return results;
}

std::string shown(const std::optional<long long>& value) { return value ? fmt::format("{}", *value) : "-"; }

std::optional<Prediction> predicted(const Problem& problem, const Candidate& candidate,
                                    const cache::CacheLevel& level) {
  const auto word = static_cast<double>(word_bytes(*problem.operation));
  return predicted_misses(*candidate.variant, problem.shape, candidate.params,
                          static_cast<double>(level.bytes) / word, static_cast<double>(level.line) / word);
}

void print(const Problem& problem, std::span<const Result> results,
           std::span<const cache::CacheLevel> levels) {
  const Work work = work_of(*problem.operation, problem.shape);
  for (const Result& result : results) {
    const std::string params = to_string(result.candidate.params);
    fmt::print("\n{}{}{}", result.candidate.variant->name, params.empty() ? "" : " ", params);
    if (!result.problem.empty()) {
      fmt::print(": {}\n", result.problem);
      continue;
    }
    fmt::print(": {} loads, {} stores\n", shown(result.counts.loads), shown(result.counts.stores));
    fmt::print("  {:<3}{:>14}{:>13}{:>12}{:>12}{:>12}{:>11}{:>13}{:>8}  theory\n", "", "accesses", "misses",
               "cold", "capacity", "conflict", fmt::format("/ {}", work.unit), "predicted", "ratio");
    for (std::size_t i = 0; i < levels.size() && i < result.counts.levels.size(); ++i) {
      const LevelMisses& level = result.counts.levels[i];
      fmt::print("  L{:<2}{:>14}{:>13}{:>12}{:>12}{:>12}", i + 1, shown(level.accesses), shown(level.misses),
                 shown(level.cold), shown(level.capacity), shown(level.conflict));
      if (!level.misses) {
        fmt::print("  {}\n", level.reason);
        continue;
      }
      const auto misses = static_cast<double>(*level.misses);
      fmt::print("{:>11.3g}", misses / work.amount);
      if (const auto theory = predicted(problem, result.candidate, levels[i]))
        fmt::print("{:>13.0f}{:>8.2f}  {}\n", theory->misses, misses / theory->misses, theory->formula);
      else
        fmt::print("{:>13}{:>8}  no formula\n", "-", "-");
    }
  }
}

Json to_json(const Problem& problem, const Result& result, std::span<const cache::CacheLevel> levels) {
  const Work work = work_of(*problem.operation, problem.shape);
  Json json{{"variant", result.candidate.variant->name}, {"params", to_json(result.candidate.params)}};
  if (!result.problem.empty()) {
    json["problem"] = result.problem;
    return json;
  }
  const auto put = [](Json& object, const char* key, const std::optional<long long>& value) {
    if (value) object[key] = *value;
  };
  put(json, "loads", result.counts.loads);
  put(json, "stores", result.counts.stores);
  Json& list = json["levels"] = Json::array();
  for (std::size_t i = 0; i < levels.size() && i < result.counts.levels.size(); ++i) {
    const LevelMisses& level = result.counts.levels[i];
    Json entry{{"level", i + 1}, {"event", level.event}};
    put(entry, "accesses", level.accesses);
    put(entry, "misses", level.misses);
    put(entry, "cold", level.cold);
    put(entry, "capacity", level.capacity);
    put(entry, "conflict", level.conflict);
    if (!level.misses) entry["reason"] = level.reason;
    if (level.misses)
      entry[fmt::format("misses_per_{}", work.unit)] = static_cast<double>(*level.misses) / work.amount;
    if (const auto theory = predicted(problem, result.candidate, levels[i])) {
      entry["predicted"] = theory->misses;
      entry["formula"] = theory->formula;
      entry["constant"] = theory->order ? "taken for 1" : "exact";
      if (level.misses) entry["ratio"] = static_cast<double>(*level.misses) / theory->misses;
    }
    list.push_back(std::move(entry));
  }
  return json;
}

Json to_json(std::span<const cache::CacheLevel> levels) {
  Json list = Json::array();
  for (const cache::CacheLevel& level : levels)
    list.push_back({{"bytes", level.bytes}, {"ways", level.ways}, {"line", level.line}});
  return list;
}

std::vector<cache::CacheLevel> levels_of(const MissesOptions& options) {
  const std::size_t line = options.line.empty() ? 0 : cache::validated_line(parse_bytes(options.line));
  if (options.caches.empty()) return machine_caches(line);
  std::vector<cache::CacheLevel> levels;
  for (const std::string& text : options.caches) levels.push_back(parse_cache(text, line ? line : 64));
  cache::validate(levels);
  return levels;
}

void run(const MissesOptions& options) {
  const Problem problem = problem_of(options);
  const Operation& operation = *problem.operation;
  const auto list = candidates(operation, options.variants, options.params, 1, Backend::cpu);
  const Source asked = parse_source(options.source);
  const auto levels = levels_of(options);
  const SourceChoice choice = options.caches.empty() || asked != Source::automatic
                                  ? choose_source(asked)
                                  : SourceChoice{Source::simulated, "simulated: the caches are named"};
  if (choice.source == Source::hardware && !options.caches.empty())
    throw Error("--source hardware counts this machine's caches: it goes without --cache");
  if (!(work_of(operation, problem.shape).amount > 0)) throw Error("this shape has nothing to count");

  std::vector<Candidate> traced;
  for (const Candidate& candidate : list)
    if (obstacle(problem, candidate, Source::simulated).empty()) traced.push_back(candidate);
  const bool curve = options.curve || !options.svg.empty();
  if (choice.source == Source::simulated || curve || options.falls)
    if (!traced.empty()) require_traceable(problem, traced, levels);
  if ((curve || options.falls) && traced.empty()) throw Error("no variant here can be traced");
  for (const std::string& file : {options.json, options.svg})
    if (!file.empty()) require_writable(file);

  if (!options.svg.empty()) require_gnuplot();
  if (options.svg == "-") throw Error("--svg takes the name of a file");

  const bool text = options.json != "-";
  if (text) {
    fmt::print("{} {} {}, lines of {} bytes, source {}\n", operation.name, operation.element,
               to_string(operation, problem.shape), levels.front().line, choice.reason);
    if (choice.source == Source::simulated) fmt::print("read as sde:::tallcache events from PAPI\n");
    for (std::size_t i = 0; i < levels.size(); ++i) fmt::print("  L{} {}\n", i + 1, describe(levels[i]));
  }
  const auto results = count(problem, list, choice.source, levels);
  if (text) print(problem, results, levels);

  Json document{{"operation", operation.name},     {"element", operation.element},
                {"shape", to_json(problem.shape)}, {"source", to_string(choice.source)},
                {"source_reason", choice.reason},  {"caches", to_json(levels)},
                {"variants", Json::array()}};
  for (const Result& result : results) document["variants"].push_back(to_json(problem, result, levels));
  if (curve) {
    std::vector<Curve> curves;
    for (const Candidate& candidate : traced)
      curves.push_back(trace_curve(problem, candidate, levels.front().line));
    document["curves"] = to_json(problem, curves, levels);
    if (!options.svg.empty()) plot_curves(options.svg, problem, curves, levels);
  }
  if (options.falls) {
    const Falls falls = find_falls(problem, traced, levels);
    if (text) print(falls);
    document["falls"] = to_json(falls);
  }
  document["context"] = machine_context();
  if (!options.json.empty()) write_json(options.json, document);
}

}  // namespace

void add_misses(CLI::App& app) {
  const auto options = std::make_shared<MissesOptions>();
  CLI::App* command = app.add_subcommand(
      "misses", "Count cache misses of variants through PAPI, by level and kind, beside the theory");
  add_problem(*command, *options, "all of them").shape->required();
  command->add_option("--cache", options->caches,
                      "A level of cache: 32K is fully associative, 32K:8 has 8 ways; up to three, the first "
                      "level first; this machine's when left out");
  command->add_option("--line", options->line, "Bytes of a cache line; this machine's, or 64 with --cache");
  command->add_option("--source", options->source,
                      "hardware, simulated, or auto: hardware where PAPI counts misses");
  command->add_flag("--curve", options->curve, "Add the misses at every cache size to the JSON");
  command->add_option("--svg", options->svg, "Plot the misses at every cache size into FILE (gnuplot)")
      ->type_name("FILE");
  command->add_flag("--falls", options->falls,
                    "Also: the size at which each variant falls off each cache, and where its time jumps");
  command->add_option("--json", options->json, "Write the counts to FILE ('-': standard output)")
      ->type_name("FILE");
  command->footer("Example: tallcache misses matmul naive tiled recursive --shape m=300 --curve --svg q.svg");
  command->callback([options] { run(*options); });
}

}  // namespace tallcache
