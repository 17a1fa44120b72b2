// tallcache reproduce: the slides' tables, measured here and printed beside the slides' figures.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <chrono>

#include "bench/measure/candidates.hpp"
#include "bench/measure/context.hpp"
#include "bench/measure/host_options.hpp"
#include "bench/measure/interrupt.hpp"
#include "bench/measure/options.hpp"
#include "bench/measure/output.hpp"
#include "bench/results/limits.hpp"
#include "bench/show/fit.hpp"
#include "bench/show/format.hpp"
#include "bench/show/streams.hpp"
#include "bench/studies/reproduce/progress.hpp"
#include "bench/studies/reproduce/results_file.hpp"
#include "bench/studies/reproduce/summary.hpp"
#include "bench/suites/by_name.hpp"
#include "bench/tables/table.hpp"
#include "common/catalogue.hpp"
#include "common/measure/host_memory.hpp"

namespace tallcache {
namespace {

struct ReproduceOptions {
  std::vector<std::string> names;
  bool full = false, full_tables = false, list = false, fresh = false, smoke = false;
  std::string results = "tallcache-results", json;
  int device = 0;
  std::uint64_t seed = 1;
};

struct RowToMeasure {
  const Table* table;
  Row row;
};

// `name` is a table, a pattern of tables, or what a group of tables begins with: "matmul" is "matmul-*".
std::string table_or_group(const std::string& name) {
  const std::string group = name + "-*";
  const auto is_named = [&](const Table* table) { return table->id == name; };
  const auto is_of_group = [&](const Table* table) { return matches(group, table->id); };
  return is_pattern(name) || std::ranges::any_of(tables(), is_named) ||
                 std::ranges::none_of(tables(), is_of_group)
             ? name
             : group;
}

std::vector<const Table*> chosen(const ReproduceOptions& options) {
  std::vector<std::string> names;
  for (const std::string& name : options.names) names.push_back(table_or_group(name));
  return find_by_name(std::vector<const Table*>(tables().begin(), tables().end()), names, &Table::id,
                      "table");
}

// What the row would need when that is more than there is; empty when it fits.
std::string too_large(const Timed& timed) {
  std::size_t scratch = 0;
  for (const Candidate& candidate : timed.candidates)
    if (candidate.variant->backend == "cpu")
      scratch = std::max(scratch, scratch_bytes(timed.problem, candidate));
  try {
    require_memory(checked_sum(problem_bytes(timed.problem), scratch, "problem"), "this size");
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

void time_row(const Timed& timed, Results& results, Progress& progress, int device) {
  const auto keep = [&](std::span<const Measurement> measurements) {
    for (const Measurement& m : measurements) results.put(to_record(timed.problem, m));
  };
  if (const std::string reason = too_large(timed); !reason.empty()) {
    for (const Candidate& candidate : timed.candidates)
      results.put(to_record(timed.problem,
                            Measurement{.candidate = candidate, .outcome = {Status::too_large, reason}}));
    return;
  }
  auto saved = std::chrono::steady_clock::now();
  const auto round = [&](std::span<const Measurement> measurements) {
    keep(measurements);
    progress.round(measurements);
    // A file a millisecond would measure the disk.
    if (const auto now = std::chrono::steady_clock::now(); now - saved > std::chrono::milliseconds(200)) {
      results.save();
      saved = now;
    }
  };
  keep(measure_each(timed.problem, timed.candidates, timed.protocol, device, round));
}

// What keeps a table from measuring for itself is the outcome of a record in place of the row's.
void measure_row(const Table& table, const Row& row, const Measure& measure, Results& results) {
  std::vector<Record> records;
  try {
    records = measure();
  } catch (const Error& error) {
    records = {{.operation = std::string(table.id), .variant = row.label, .backend = "cpu"}};
    records[0].outcome = {error.status(), error.what()};
  }
  results.put_row(row_name(table.id, row.label), std::move(records));
}

void measure_rows(std::span<const RowToMeasure> steps, const Table& table, Results& results,
                  Progress& progress, int device) {
  for (const RowToMeasure& step : steps) {
    if (step.table != &table || results.has(table.id, step.row)) continue;
    progress.start(table.id, step.row);
    if (const Timed* timed = std::get_if<Timed>(&step.row.what))
      time_row(*timed, results, progress, device);
    else
      measure_row(table, step.row, std::get<Measure>(step.row.what), results);
    results.save();
    progress.done();
  }
}

// The machine's limits go into the results once.
void measure_limits_once(Results& results, Scale scale, int device) {
  if (!results.document().limits.empty()) return;
  results.put_limits(
      measured_limits(scale == Scale::smoke ? LimitsProtocol::smoke() : LimitsProtocol::quick(), device));
  results.save();
}

// The records of `chosen`, out of everything that the file holds.
Document part(const Results& results, std::span<const RowToMeasure> steps,
              const std::vector<const Table*>& chosen) {
  const Document& whole = results.document();
  Document document{.kind = whole.kind, .context = whole.context, .plan = plan_of(chosen)};
  if (std::ranges::any_of(chosen, &Table::needs_limits)) document.limits = whole.limits;
  for (const RowToMeasure& step : steps)
    for (const Record* record : results.records(step.table->id, step.row))
      if (step.row.what.index() != 0 || !document.find(*record)) document.measurements.push_back(*record);
  return document;
}

// The rows of the tables, and a word on those that need no measuring.
std::vector<RowToMeasure> rows_to_measure(const std::vector<const Table*>& tables, Scale scale,
                                          std::uint64_t seed) {
  std::vector<RowToMeasure> steps;
  for (const Table* table : tables)
    for (Row& row : table->rows(scale, seed)) steps.push_back({table, std::move(row)});
  return steps;
}

std::vector<const Row*> rows_left(std::span<const RowToMeasure> steps, const Results& results, Stream out) {
  std::size_t reused = 0;
  std::vector<const Row*> left;
  for (const RowToMeasure& step : steps)
    if (results.has(step.table->id, step.row))
      reused += results.records(step.table->id, step.row).size();
    else
      left.push_back(&step.row);
  if (reused)
    print(out, "{}\n",
          wrapped(fmt::format("{} measurements taken from {}; {} rows left to measure", reused,
                              results.path(), left.size()),
                  line_width(), 2));
  return left;
}

void reproduce(const ReproduceOptions& options) {
  if (options.list) {
    for (const Table* table : tables()) print("{:<22}{}\n", table->id, table->title);
    return;
  }
  const auto tables = chosen(options);
  const bool whole = options.full_tables || !options.names.empty();
  const Scale scale = options.smoke ? Scale::smoke : options.full ? Scale::full : Scale::quick;
  require_writable(options.json);
  Json context = machine_context(options.device);
  context["mode"] = to_string(scale);
  context["seed"] = options.seed;
  Results results(options.results, context, options.fresh);
  const Stream out = options.json == "-" ? Stream::progress : Stream::report;
  print(out, "{}\n", wrapped(machine_line({.kind = "reproduce", .context = context}), line_width(), 2));

  const std::vector<RowToMeasure> steps = rows_to_measure(tables, scale, options.seed);
  Progress progress(rows_left(steps, results, out), results.document());
  const Interruptible interruptible(results.path());
  results.plan(tables);
  results.save();
  for (const Table* table : tables) {
    measure_rows(steps, *table, results, progress, options.device);
    if (table->needs_limits) measure_limits_once(results, scale, options.device);
    if (whole) print(out, "\n{}", render(*table, report_of(*table, results.document()), Style::terminal));
  }
  if (tables.size() > 1 || !whole) print(out, "\n{}", overview(results.document(), tables));
  print(out, "{}\n",
        wrapped(fmt::format("Results: {0}; as a page: tallcache report {0} --html PAGE", results.path()),
                line_width(), 2));
  const Document asked = part(results, steps, tables);
  if (!options.json.empty()) write_document(options.json, asked);
  require_right(asked.measurements);
  require_device(options.device);
}

}  // namespace

void add_reproduce(CLI::App& app) {
  const auto [command, options] = add_command(
      app, reproduce, "reproduce", "The slides' tables, measured here beside the slides' figures",
      "Quick by default, a few minutes at most for all tables, and it says which sizes are left out; --full "
      "takes hours. "
      "Stopped by Ctrl-C, it keeps what is measured, and running it again resumes.\n"
      "Example: tallcache reproduce matmul-cpu transpose-cpu --json tables.json\n"
      "         tallcache reproduce '*-gpu*'");
  command->add_option(
      "TABLE", options->names,
      "Tables, which are printed whole: a name, a group (matmul: all that begin with matmul-) or "
      "a pattern ('*-gpu*'); all of them when none is named");
  command->add_flag("--full-tables", options->full_tables, "Print all tables whole, before the summary");
  auto* full = command->add_flag("--full", options->full, "The printed sizes");
  command->add_flag("--list", options->list, "Name the tables and stop");
  command->add_flag("--smoke", options->smoke)->group("")->excludes(full);
  command->add_option("--results", options->results, "Folder of the results file")->capture_default_str();
  add_host(*command);
  add_json(*command, options->json);
  command->add_flag("--fresh", options->fresh, "Measure everything anew, replacing the results file");
  add_device(*command, options->device, "Number of the GPU to use");
  add_seed(*command, options->seed);
}

}  // namespace tallcache
