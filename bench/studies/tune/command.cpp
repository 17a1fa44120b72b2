// tallcache tune: the values of a GPU's tuning that are the fastest on this one, written as a record.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>
#include <sstream>

#include "bench/measure/context.hpp"
#include "bench/measure/options.hpp"
#include "bench/measure/output.hpp"
#include "bench/results/names.hpp"
#include "bench/results/tuning_file.hpp"
#include "bench/studies/tune/tune.hpp"
#include "bench/suites/by_name.hpp"
#include "common/backend.hpp"
#include "common/catalogue.hpp"

namespace tallcache {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int least_rounds = 3;

struct TuneOptions {
  std::vector<std::string> fields;
  std::string record, json;
  double seconds = 120;
  int device = 0;
  std::uint64_t seed = 1;
  bool overwrite = false;
};

double seconds_until(Clock::time_point end) {
  return std::chrono::duration<double>(end - Clock::now()).count();
}
Clock::time_point after(double seconds) {
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

struct TunedCase {
  Problem problem;
  Candidate candidate;
};

/// What a field is timed by: "operation element variant shape", several apart by a semicolon.
std::vector<TunedCase> cases_of(const gpu::TunedField& field, std::uint64_t seed) {
  std::vector<TunedCase> cases;
  std::istringstream text{std::string(field.timed)};
  for (std::string one; std::getline(text, one, ';');) {
    std::istringstream words(one);
    std::string operation, element, variant, shape;
    words >> operation >> element >> variant >> shape;
    const Operation& known = find_operation(operation, element);
    cases.push_back({{.operation = &known, .shape = parse_shape(known, shape), .input = {}, .seed = seed},
                     {.variant = &find_variant(known, variant, "gpu")}});
  }
  return cases;
}

std::string title_of(const TunedCase& one) { return case_of(to_record(one.problem, one.candidate)); }

/// The seconds of all timed phases.
double sum_of(const std::vector<double>& phases) {
  double sum = 0;
  for (const double phase : phases)
    if (!std::isnan(phase)) sum += phase;
  return sum;
}

/// One value of a field in one case.
struct Tried {
  int value;
  gpu::Tuning tuning;
  Measurement measured;
};

/// Verifies it, which is the first run; where `expected` seconds are not left until `end`, it is left out.
/// Returns the seconds of the run.
double verify(Workspace& workspace, Tried& tried, Clock::time_point end, double expected) {
  if (seconds_until(end) < expected) {
    tried.measured.outcome = {Status::left_out, "no time was left for it"};
    return 0;
  }
  const gpu::TuningOfThread tuning(tried.tuning);
  std::vector<double> phases;
  workspace.prepare(tried.measured.candidate);
  if (const Check check = workspace.verify(tried.measured.candidate, &phases); !check)
    tried.measured.outcome = {Status::wrong, check.message()};
  return sum_of(phases);
}

/// Verifies the values for half of the time, each only if there is time for as long a check as the longest
/// before it; then times those that are right in turn until `end`, three times at least.
void measure_case(Workspace& workspace, std::vector<Tried>& list, Clock::time_point end) {
  constexpr int most_rounds = 25;
  constexpr double long_enough = 2e-3;
  double longest = 1e-6, longest_check = 0;
  const auto half = after(seconds_until(end) / 2);
  for (Tried& tried : list) {
    const double before = seconds_until(half);
    longest = std::max(longest, verify(workspace, tried, half, longest_check));
    longest_check = std::max(longest_check, before - seconds_until(half));
    stop_if_interrupted();
  }
  const int times =
      workspace.in_place() ? 1 : static_cast<int>(std::clamp(long_enough / longest, 1.0, 100.0));
  for (int round = 0; round < most_rounds && (round < least_rounds || seconds_until(end) > 0); ++round)
    for (Tried& tried : list) {
      if (tried.measured.outcome.status != Status::pending) continue;
      stop_if_interrupted();
      const gpu::TuningOfThread tuning(tried.tuning);
      if (workspace.in_place()) workspace.renew_inputs();
      tried.measured.samples_s.push_back(sum_of(workspace.run(tried.measured.candidate, times)));
    }
}

/// Puts the records of all values in one case into the document, also where an interruption ends it.
void tune_case(Document& document, const gpu::TunedField& field, const TunePart& part, const TunedCase& one,
               const gpu::Tuning& before, Executor& executor, Clock::time_point end) {
  std::vector<Tried> list;
  for (const int value : part.tried) {
    list.push_back({value, before, {.candidate = one.candidate}});
    list.back().tuning.*field.value = value;
  }
  // The others are compared with it, however little time there is.
  std::partition(list.begin(), list.end(), [&](const Tried& tried) { return tried.value == part.before; });
  const auto put = [&] {
    for (Tried& tried : list) {
      Outcome& outcome = tried.measured.outcome;
      if (outcome.status == Status::pending && tried.measured.samples_s.size() >= least_rounds)
        outcome.status = Status::measured;
      if (outcome.status == Status::pending) continue;
      Record record = to_record(one.problem, tried.measured);
      record.row = row_of(part.field, tried.value);
      document.put(std::move(record));
    }
  };
  try {
    Outcome outcome = before_running(one.problem, one.candidate);
    if (outcome.status == Status::pending) {
      Workspace workspace(one.problem, executor);
      measure_case(workspace, list, end);
    } else {
      for (Tried& tried : list) tried.measured.outcome = outcome;
    }
  } catch (const Error& error) {  // what other values were timed is no comparison
    for (Tried& tried : list) tried.measured.outcome = {error.status(), error.what()};
  } catch (const Exit&) {
    put();
    throw;
  }
  put();
}

void tune_field(Document& document, const gpu::TunedField& field, const TunePart& part,
                const std::vector<TunedCase>& cases, const gpu::Tuning& before, Executor& executor,
                Clock::time_point end) {
  print(Stream::progress, "{} ...\n", field.name);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const double share = seconds_until(end) / static_cast<double>(cases.size() - i);
    tune_case(document, field, part, cases[i], before, executor, after(std::max(0.0, share)));
  }
}

/// Names the fields for which no time was left.
void tell_left_out(const std::vector<const gpu::TunedField*>& fields, std::size_t first) {
  std::string names;
  for (std::size_t i = first; i < fields.size(); ++i) names += fmt::format(" {}", fields[i]->name);
  if (!names.empty()) print(Stream::progress, "no time was left for:{}\n", names);
}

std::vector<const gpu::TunedField*> fields_of(const TuneOptions& options) {
  std::vector<const gpu::TunedField*> fields;
  for (const gpu::TunedField& field : gpu::tuned_fields()) fields.push_back(&field);
  return find_by_name(std::move(fields), options.fields, &gpu::TunedField::name, "tuned field");
}

void require_new(const TuneOptions& options) {
  if (options.record.empty() || is_stream(options.record)) return require_writable(options.record);
  if (std::filesystem::exists(options.record)) {
    if (!options.overwrite)
      throw Error(fmt::format("{} exists; --overwrite puts the device's record into it", options.record));
    read_tuning(options.record);
  }
  require_writable(options.record);
}

void tune(const TuneOptions& options) {
  const auto fields = fields_of(options);
  require_new(options);
  const Backend& backend = find_backend("gpu");
  const Output output(options.json);
  const auto executor = backend.make_executor(options.device);
  const Device device = backend.devices()[options.device];
  const gpu::Tuning before = gpu::tuning_for(device.name, device.compute_capability);
  Document document{.kind = "tune", .context = machine_context(options.device)};
  document.context["seed"] = options.seed;
  const auto write = [&] {
    if (options.record.empty()) return;
    const gpu::Tuning base = gpu::compiled_tuning_for(device.name, device.compute_capability);
    write_tuning(options.record, gpu::difference(device.name, base, chosen_tuning(document, before)));
  };
  const auto end = after(options.seconds);
  gpu::Tuning now = before;
  std::size_t done = 0;
  for (; done < fields.size() && seconds_until(end) > 0; ++done) {
    const gpu::TunedField& field = *fields[done];
    const auto cases = cases_of(field, options.seed);
    TunePart part{std::string(field.name),
                  std::string(field.what),
                  now.*field.value,
                  tried_values(field, now.*field.value),
                  {}};
    for (const TunedCase& one : cases) part.cases.push_back(title_of(one));
    document.plan.push_back(part);
    const double share = seconds_until(end) / static_cast<double>(fields.size() - done);
    measure_and_show([&] { tune_field(document, field, part, cases, now, *executor, after(share)); },
                     [&] {
                       output.part(document, render(tune_grid(document, part), Style::terminal));
                       now.*field.value = chosen_value(document, part);
                       write();
                     });
  }
  tell_left_out(fields, done);
  output.finish(document);
}

}  // namespace

void add_tune(CLI::App& app) {
  const auto [command, options] = add_command(
      app, tune, "tune", "The values of a GPU's tuning that are the fastest on this one, as a record",
      "Example: tallcache tune --seconds 600 --record tuning.json\n"
      "         TALLCACHE_TUNING=tuning.json tallcache peers lu_pivot");
  command->add_option("FIELD", options->fields, "Fields of the tuning; all of them when none is named");
  above_zero(command->add_option("--seconds", options->seconds, "Time to spend in all"))
      ->capture_default_str();
  add_output_file(*command, "--record", options->record,
                  "Write the values to FILE, for the environment variable TALLCACHE_TUNING");
  command->add_flag("--overwrite", options->overwrite,
                    "Put the device's record into a FILE that exists, in place of its own");
  add_device(*command, options->device, "The GPU's number");
  add_seed(*command, options->seed);
  add_json(*command, options->json);
}

}  // namespace tallcache
