// tallcache reproduce: the slides' tables, measured here and printed beside the slides' figures.
#include <fmt/format.h>

#include <chrono>

#include "bench/candidates.hpp"
#include "bench/commands.hpp"
#include "bench/context.hpp"
#include "bench/interrupt.hpp"
#include "bench/machine_json.hpp"
#include "bench/progress.hpp"
#include "bench/tables/table.hpp"
#include "common/catalogue.hpp"

namespace tallcache {
namespace {

struct ReproduceOptions {
  std::vector<std::string> names;
  bool full = false, list = false, fresh = false, smoke = false;
  std::string results = "tallcache-results", json;
  int device = 0;
  std::uint64_t seed = 1;
};

struct RowToMeasure {
  const Table* table;
  Row row;
};

std::vector<const Table*> chosen(const ReproduceOptions& options) {
  if (options.names.empty()) return {tables().begin(), tables().end()};
  std::vector<const Table*> result;
  for (const std::string& name : options.names)
    if (const Table* table = &find_table(name); std::ranges::find(result, table) == result.end())
      result.push_back(table);
  return result;
}

bool measured(const Results& results, const Row& row) {
  return std::ranges::all_of(row.candidates, [&](const Candidate& c) { return results.has(row.problem, c); });
}

// What the row would need when that is more than there is; empty when it fits.
std::string too_large(const Row& row) {
  std::size_t scratch = 0;
  for (const Candidate& candidate : row.candidates)
    if (candidate.variant->backend == Backend::cpu)
      scratch = std::max(scratch, scratch_bytes(row.problem, candidate));
  try {
    require_memory(checked_sum(problem_bytes(row.problem), scratch, "problem"), "this size");
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

void measure_row(const RowToMeasure& step, Results& results, Progress& progress, int device) {
  const Row& row = step.row;
  const auto keep = [&](std::span<const Measurement> measurements, bool partial) {
    for (const Measurement& m : measurements)
      if (m.timed() || m.outcome.status != Status::pending) results.put(row.problem, m, partial);
  };
  if (const std::string reason = too_large(row); !reason.empty()) {
    // Partial: there may be more memory the next time.
    for (const Candidate& candidate : row.candidates)
      results.put(row.problem, {.candidate = candidate, .outcome = {Status::too_large, reason}}, true);
    return;
  }
  auto saved = std::chrono::steady_clock::now();
  const auto round = [&](std::span<const Measurement> measurements) {
    keep(measurements, true);
    progress.round(measurements);
    // A file a millisecond would measure the disk.
    if (const auto now = std::chrono::steady_clock::now(); now - saved > std::chrono::milliseconds(200)) {
      results.save();
      saved = now;
    }
  };
  const auto measurements = measure_each(row.problem, row.candidates, row.protocol, device, round);
  keep(measurements, false);
  results.save();
}

// The machine's limits go into the results once.
void measure_limits_once(Results& results, Scale scale, int device) {
  if (results.document().contains("limits")) return;
  const Limits limits = measure_limits(
      this_machine(), scale == Scale::smoke ? LimitsProtocol::smoke() : LimitsProtocol::quick());
  results.set("limits", nlohmann::json(limits));
  results.set("gpu_limits", measured_gpu_limits(device));
  results.save();
}

// The records and tables of `chosen`, out of everything that the file holds.
Json part(const Results& results, std::span<const RowToMeasure> steps, std::span<const Table* const> chosen) {
  Json document = results.document();
  document["measurements"] = Json::array();
  document["tables"] = Json::array();
  for (const RowToMeasure& step : steps)
    for (const Candidate& candidate : step.row.candidates)
      if (const Json* record = results.find(step.row.problem, candidate))
        document["measurements"].push_back(*record);
  for (const Table* table : chosen)
    if (const Json* json = results.find_table(table->id)) document["tables"].push_back(*json);
  return document;
}

void reproduce(const ReproduceOptions& options) {
  if (options.list) {
    for (const Table* table : tables()) fmt::print("{:<22}{}\n", table->id, table->title);
    return;
  }
  const auto tables = chosen(options);
  const Scale scale = options.smoke ? Scale::smoke : options.full ? Scale::full : Scale::quick;
  require_writable(options.json);
  Json context = machine_context(options.device);
  context["mode"] = to_string(scale);
  context["seed"] = options.seed;
  Results results(options.results, context, options.fresh);
  FILE* const out = options.json == "-" ? stderr : stdout;
  fmt::print(out, "tallcache reproduce ({}) on {}\n", to_string(scale), context["cpu"].get<std::string>());

  std::vector<RowToMeasure> steps;
  for (const Table* table : tables)
    for (Row& row : table->rows(scale, options.seed)) steps.push_back({table, std::move(row)});
  std::size_t reused = 0, wrong = 0;
  std::vector<const Row*> left;
  for (const RowToMeasure& step : steps) {
    if (measured(results, step.row))
      reused += step.row.candidates.size();
    else
      left.push_back(&step.row);
  }
  if (reused)
    fmt::print(out, "{} measurements taken from {}; {} sizes left to measure\n", reused, results.path(),
               left.size());

  const Interruptible interruptible(results.path());
  Progress progress(left, results);
  for (const Table* table : tables) {
    bool changed = !results.find_table(table->id);
    for (const RowToMeasure& step : steps) {
      if (step.table != table) continue;
      if (!measured(results, step.row)) {
        progress.start(table->id, step.row);
        measure_row(step, results, progress, options.device);
        progress.done();
        changed = true;
      }
      for (const Candidate& candidate : step.row.candidates) {
        const Json* record = results.find(step.row.problem, candidate);
        wrong += record && record->contains("problem") &&
                 record->at("problem").get_ref<const std::string&>().starts_with("wrong result");
      }
    }
    if (changed) {
      if (table->needs_limits) measure_limits_once(results, scale, options.device);
      const Json& slide = slide_table(table->id);
      results.put_table(to_json(*table, slide, table->report({slide, results, scale, options.seed})));
      results.save();
    }
    fmt::print(out, "\n{}", render_table(*results.find_table(table->id), Style::terminal));
    std::fflush(out);
  }
  fmt::print(out, "\nResults: {}\n", results.path());
  if (!options.json.empty()) write_json(options.json, part(results, steps, tables));
  if (wrong)
    throw Error(fmt::format("{} measurements have a wrong result and no time: see the tables", wrong));
  require_device(options.device);
}

}  // namespace

void add_reproduce(CLI::App& app) {
  auto options = std::make_shared<ReproduceOptions>();
  CLI::App* command =
      app.add_subcommand("reproduce", "The slides' tables, measured here beside the slides' figures");
  command->footer(
      "Quick by default, a few minutes at most for all tables, and it says which sizes are left out; --full "
      "takes hours. "
      "Stopped by Ctrl-C, it keeps what is measured, and running it again resumes.\n"
      "Example: tallcache reproduce matmul-cpu transpose-cpu --json tables.json");
  command->add_option("TABLE", options->names, "Tables (all of them when none is named)");
  auto* full = command->add_flag("--full", options->full, "The printed sizes");
  command->add_flag("--list", options->list, "Name the tables and stop");
  command->add_flag("--smoke", options->smoke)->group("")->excludes(full);
  command->add_option("--results", options->results, "Folder of the results file")->capture_default_str();
  command->add_option("--json", options->json,
                      "Write the results as JSON to this file; - is standard output");
  command->add_flag("--fresh", options->fresh, "Measure everything anew, replacing the results file");
  command->add_option("--device", options->device, "Number of the GPU to use")->capture_default_str();
  command->add_option("--seed", options->seed, "Seed of the input data")->capture_default_str();
  command->callback([options] { reproduce(*options); });
}

}  // namespace tallcache
