// tallcache steps: where the time of the fastest variants goes, one step of their design after the other.
#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "bench/candidates.hpp"
#include "bench/commands.hpp"
#include "bench/context.hpp"
#include "bench/machine_json.hpp"
#include "bench/steps.hpp"
#include "bench/tables/table.hpp"
#include "common/catalogue.hpp"

namespace tallcache {
namespace {

struct StepsOptions {
  std::vector<std::string> operations;
  std::string json;
  bool smoke = false;
  double seconds = 1;
  std::uint64_t seed = 1;
};

/// `bytes`: what the step moves between the caches and memory for each unit of the result when nothing but
/// what its text reuses at once stays in a cache; NaN where arithmetic, not memory, is what is counted.
struct Step {
  std::string_view label, variant;
  Params params{};
  double bytes = absent;
  bool all_cores = false;
  bool peer = false;  ///< held against, not built on
};

struct Staircase {
  std::string_view operation, element, unit;
  double least_bytes;  ///< that a unit must move: its share of the inputs and outputs
  Shape shape, smoke;
  std::vector<Step> steps;
};

const std::vector<Staircase>& staircases() {
  static const std::vector<Staircase> all{
      {"matmul",
       "double",
       "flop",
       absent,
       {{"m", 1024}, {"n", 1024}, {"k", 1024}},
       {{"m", 48}, {"n", 48}, {"k", 48}},
       {{"three loops, an element of C at a time", "naive"},
        {"loops i-k-j: every access along a row", "loops_ikj"},
        {"REC-MULT: blocks that fit, in every cache at once", "recursive"},
        {"leaves in vector registers, factors where they lie", "recursive_packed", {{"unpacked", 1 << 20}}},
        {"factors packed once, next tile prefetched", "recursive_packed"},
        {"forks on all cores", "recursive_packed", {}, absent, true},
        {"OpenBLAS at its best, one core", "openblas_best", {}, absent, false, true},
        {"BLIS at its best, one core", "blis_best", {}, absent, false, true},
        {"OpenBLAS at its best, all cores", "openblas_best", {}, absent, true, true},
        {"BLIS at its best, all cores", "blis_best", {}, absent, true, true}}},
      {"transpose",
       "float",
       "element",
       8,
       {{"m", 8192}, {"n", 8192}},
       {{"m", 65}, {"n", 65}},
       // A column's store brings in a line of 64 bytes and writes it back, for 4 of them.
       {{"two loops: a line of B for every element", "naive", {}, 4 + 64 + 64},
        {"square tiles: each line of B brought in once", "tiled", {}, 12},
        {"REC-TRANSPOSE: tiles of every size", "recursive", {}, 12},
        {"leaves in vector registers", "recursive_streaming", {{"stream", 0}}, 12},
        {"lines of B written whole, past the caches", "recursive_streaming", {{"stream", 1}}, 8},
        {"forks on all cores", "recursive_streaming", {{"stream", 1}}, 8, true},
        {"OpenBLAS omatcopy, one core", "omatcopy", {}, absent, false, true}}},
      {"counting_sort",
       "uint32",
       "key",
       8,
       {{"n", 60000000}, {"range", 60000000}},
       {{"n", 1000}, {"range", 1000}},
       // A pass over keys: 4 bytes. A random counter or output: a line of 64 bytes in and out.
       {{"a counter for every key: three random accesses", "classical", {}, 4 + 128 + 4 + 128 + 128},
        {"buckets first: counters and output in the cache", "bucketed", {}, 4 + 4 + 8 + 4 + 4 + 8},
        {"residues buffered and streamed, runs written", "bucketed_streaming", {}, 4 + 2 + 2 + 4},
        {"forks on all cores", "bucketed_streaming", {}, 4 + 2 + 2 + 4, true},
        {"radix sort by least digits, one core", "lsd_radix", {}, absent, false, true},
        {"vqsort, one core", "vqsort", {}, absent, false, true}}}};
  return all;
}

const Staircase& staircase_of(std::string_view operation) {
  std::vector<std::string_view> names;
  for (const Staircase& staircase : staircases()) {
    if (staircase.operation == operation) return staircase;
    names.push_back(staircase.operation);
  }
  throw Error(unknown_name("operation with steps", operation, names));
}

Json measure_steps(const Staircase& staircase, const StepsOptions& options, const Limits& limits) {
  const Operation& operation = find_operation(staircase.operation, staircase.element);
  const Problem problem{&operation,
                        complete_shape(operation, options.smoke ? staircase.smoke : staircase.shape),
                        {},
                        options.seed};
  std::vector<Candidate> list;
  for (const Step& step : staircase.steps) {
    const Variant& variant = find_variant(operation, step.variant, Backend::cpu);
    list.push_back({&variant, complete_params(variant, step.params), step.all_cores ? usable_threads() : 1});
  }
  const auto measured =
      measure_each(problem, list, {.least_rounds = 3, .most_rounds = 15, .seconds = options.seconds});
  const Cost cost = operation.cost(problem.shape);
  const bool arithmetic = operation.rate == Rate::gflop_per_s;
  const double units = cost.bytes / staircase.least_bytes;
  Json json{{"operation", operation.name},       {"element", operation.element},
            {"shape", to_json(problem.shape)},   {"unit", staircase.unit},
            {"rate", to_string(operation.rate)}, {"lines", Json::array()}};
  for (std::size_t s = 0; s < measured.size(); ++s) {
    const Step& step = staircase.steps[s];
    const Measurement& m = measured[s];
    Json line{{"step", step.label}, {"peer", step.peer}};
    line.update(to_json(problem, m));
    if (m.timed()) {
      const double limit = arithmetic ? limits.gflop_per_s(operation.element, m.candidate.threads)
                                      : limits.gb_per_s(m.candidate.threads);
      line["share_of_limit"] = (arithmetic ? cost.flops : cost.bytes) / m.median_s() * 1e-9 / limit;
      if (!std::isnan(step.bytes)) {
        line["bytes_moved"] = step.bytes;
        line["share_of_bandwidth"] = step.bytes * units / m.median_s() * 1e-9 / limit;
      }
    }
    json["lines"].push_back(std::move(line));
  }
  return json;
}

void steps(const StepsOptions& options) {
  std::vector<std::string> names = options.operations;
  if (names.empty())
    for (const Staircase& staircase : staircases()) names.emplace_back(staircase.operation);
  for (const std::string& name : names) staircase_of(name);
  require_writable(options.json);
  FILE* const out = options.json == "-" ? stderr : stdout;

  const Limits limits =
      measure_limits(this_machine(), options.smoke ? LimitsProtocol::smoke() : LimitsProtocol::quick());
  Json document{{"context", machine_context()}, {"limits", nlohmann::json(limits)}, {"steps", Json::array()}};
  for (const std::string& name : names) {
    document["steps"].push_back(measure_steps(staircase_of(name), options, limits));
    fmt::print(out, "{}\n", render(steps_grid(document["steps"].back()), Style::terminal));
    std::fflush(out);
    if (!options.json.empty() && options.json != "-") write_json(options.json, document);
  }
  if (options.json == "-") write_json(options.json, document);
  for (const Json& part : document["steps"])
    for (const Json& line : part["lines"]) require_right(line);
}

}  // namespace

Grid steps_grid(const Json& steps) {
  const std::string rate = steps.at("rate"), unit = steps.at("unit");
  std::string shape;
  for (const auto& [name, size] : steps.at("shape").items())
    if (name != "pad") shape += fmt::format("{}{} = {}", shape.empty() ? "" : ", ", name, size.get<Index>());
  const bool arithmetic = rate == "gflop_per_s";
  Grid grid{.caption = fmt::format("{} {}, {}:", steps.at("operation").get<std::string>(),
                                   steps.at("element").get<std::string>(), shape),
            .columns = {{"step", true},
                        {"ms"},
                        {"+- ms"},
                        {rate},
                        {arithmetic ? "of the FMA peak" : "of a copy's bandwidth"},
                        {"over the step before"}},
            .rows = {}};
  if (!arithmetic) {
    grid.columns.push_back({fmt::format("bytes moved for each {}, counted", unit)});
    grid.columns.push_back({"of the bandwidth, by these"});
  }
  const auto percent = [](const Json& line, const char* key) {
    return line.contains(key) ? fmt::format("{:.0f} %", line[key].get<double>() * 100) : std::string("-");
  };
  double before = absent;
  for (const Json& line : steps.at("lines")) {
    const bool peer = line.at("peer"), measured = line.contains("median_s");
    const double seconds = measured ? line["median_s"].get<double>() : absent;
    std::vector<std::string> row{line.at("step"),
                                 measured ? figure(seconds * 1e3) : line.value("problem", "not measured"),
                                 measured ? figure(line.at("mad_s").get<double>() * 1e3) : "",
                                 measured ? figure(line.at(rate).get<double>()) : "",
                                 percent(line, "share_of_limit"),
                                 peer ? "" : times(before / seconds)};
    if (!arithmetic) {
      row.push_back(line.contains("bytes_moved") ? figure(line["bytes_moved"].get<double>()) : "-");
      row.push_back(percent(line, "share_of_bandwidth"));
    }
    grid.rows.push_back(std::move(row));
    if (!peer) before = seconds;
  }
  return grid;
}

void add_steps(CLI::App& app) {
  auto options = std::make_shared<StepsOptions>();
  CLI::App* command = app.add_subcommand(
      "steps",
      "Where the time goes: from the textbook's loops to the fastest variant, what each step brings");
  command->add_option("OPERATION", options->operations,
                      "matmul, transpose, counting_sort; all of them by default");
  command->add_option("--seconds", options->seconds, "Time to spend on each step")
      ->check(CLI::PositiveNumber);
  command->add_flag("--smoke", options->smoke)->group("");
  command->add_option("--seed", options->seed, "Seed of the input data")->capture_default_str();
  command->add_option("--json", options->json, "Write the measurements to FILE ('-': standard output)")
      ->type_name("FILE");
  command->footer("Example: tallcache steps transpose --json steps.json");
  command->callback([options] { steps(*options); });
}

}  // namespace tallcache
