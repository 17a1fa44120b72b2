#include "bench/studies/steps/steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/results/device_state.hpp"
#include "bench/results/limits.hpp"
#include "bench/results/provenance.hpp"
#include "bench/show/charts.hpp"
#include "bench/show/device_memory.hpp"
#include "bench/show/format.hpp"
#include "bench/show/kind.hpp"

namespace tallcache {
namespace {

const Record* record_of(const Document& document, const StepsPlan& plan, const PlannedStep& step) {
  for (const Record& record : document.measurements)
    if (plan.operation == record.operation && plan.element == record.element &&
        plan.backend == record.backend && plan.shape == record.shape && step.variant == record.variant &&
        step.params == record.params && step.threads == record.threads)
      return &record;
  return nullptr;
}

// The share of the bandwidth that a run uses, from the bytes that its step counts.
double counted_share(const Roofline& roofline, const Record& record, double bytes, double unit_bytes) {
  const double units = record.value("traffic") / unit_bytes;
  return bytes * units / measured_seconds(&record) * 1e-9 / roofline.gb_per_s(record.backend, record.threads);
}

Grid empty_grid(const StepsPlan& plan, const std::string& rate, bool counted) {
  Grid grid{.caption = fmt::format("{} {}, {}:", plan.operation, plan.element, sizes_text(plan.shape)),
            .columns = {
                {"step", true}, {"median"}, {"+-"}, {rate}, {"of " + plan.limit}, {"over the step before"}}};
  if (counted) {
    grid.columns.push_back({fmt::format("bytes moved for each {}, counted", plan.unit)});
    grid.columns.push_back({"of the bandwidth, by these"});
  }
  return grid;
}

std::string text(const Document& document, const StepsPlan& plan, Style style) {
  std::vector<const Record*> records;
  for (const PlannedStep& step : plan.steps) records.push_back(record_of(document, plan, step));
  const std::string notes = class_notes(records);
  return render(steps_grid(document, plan), style) + (notes.empty() ? "" : "\n" + notes + "\n");
}
std::string full(const Document& document) { return join_parts(document, text); }

bool faster(const Record* record, const Record* than) {
  return measured_seconds(record) > 0 && (!than || measured_seconds(record) < measured_seconds(than));
}

std::string place_of(const Document& document, const Record& record) {
  if (record.backend != "cpu") return document.context.at("gpus").at(0).at("name");
  return fmt::format("{} of {}", record.threads == 1 ? "one core" : fmt::format("{} cores", record.threads),
                     document.context.at("cpu").get<std::string>());
}

// The class in which the steps of a part are compared: the first's.
ErrorClass class_of(const Document& document, const StepsPlan& plan) {
  const Record* first = record_of(document, plan, plan.steps.at(0));
  return first ? first->error_class : ErrorClass::standard;
}

// The label of a step, and the class of its errors where that is another.
std::string label_of(const PlannedStep& step, const Record* record, ErrorClass error_class) {
  return record && record->error_class != error_class
             ? fmt::format("{} ({})", step.label, name_of(record->error_class))
             : step.label;
}

// The fastest step over the textbook's text, which is the first step, and over the fastest library, all on as
// many threads and of one error class. It names the libraries that were not measured. Empty when none was.
std::string sentence(const Document& document, const StepsPlan& plan) {
  const Record *const textbook = record_of(document, plan, plan.steps.at(0)), *best = nullptr,
                      *library = nullptr;
  std::string missing;
  if (!(measured_seconds(textbook) > 0)) return {};
  for (const PlannedStep& step : plan.steps) {
    const Record* const record = record_of(document, plan, step);
    // A step for comparison may be another variant of the suite's.
    const Record*& fastest = record && record->peer ? library : best;
    if (step.threads != textbook->threads) continue;
    if (step.peer && !(measured_seconds(record) > 0))
      missing += fmt::format("{}`{}`", missing.empty() ? "" : ", ", step.variant);
    if (record && record->error_class == textbook->error_class && faster(record, fastest)) fastest = record;
  }
  // Steps of one variant's parameters begin with no textbook's.
  const bool one_variant = std::ranges::all_of(
      plan.steps, [&](const PlannedStep& step) { return step.peer || step.variant == textbook->variant; });
  if (!library || one_variant) return {};
  const double seconds = measured_seconds(best);
  const Json& build = document.context.at("build");
  const std::string throttling = throttling_text(document);
  return fmt::format(
      "- **{}**, {}, {}: `{}` takes {}, {:.3g} times as fast as the textbook's `{}` and {:.3g} times as "
      "fast as the fastest library of the same run of `tallcache steps`, `{}`{} ({}; {}, commit {}{}{}).\n",
      plan.operation, plan.element, sizes_text(plan.shape), best->variant, duration(seconds),
      measured_seconds(textbook) / seconds, textbook->variant, measured_seconds(library) / seconds,
      library->variant, missing.empty() ? "" : fmt::format(", without {}", missing),
      place_of(document, *best), build.at("compiler").get<std::string>(), short_commit(build),
      throttling.empty() ? "" : "; ", throttling);
}

std::string found(const Document& document) {
  std::string sentences;
  for (const StepsPlan& plan : parts_of<StepsPlan>(document)) sentences += sentence(document, plan);
  return sentences;
}

Blocks page(const Document& document) {
  Blocks blocks;
  for (const StepsPlan& plan : parts_of<StepsPlan>(document)) {
    Grid grid = steps_grid(document, plan);
    Ranking ranking{.title = as_title(grid.caption)};
    const ErrorClass error_class = class_of(document, plan);
    for (const PlannedStep& step : plan.steps)
      if (const Record* record = record_of(document, plan, step); measured_seconds(record) > 0) {
        ranking.x = record->rate_unit();
        ranking.items.push_back(rate_item(*record));
        ranking.items.back().name = label_of(step, record, error_class);
      }
    if (!ranking.items.empty()) blocks.emplace_back(std::move(ranking));
    blocks.emplace_back(std::move(grid));
  }
  return blocks;
}

}  // namespace

Grid steps_grid(const Document& document, const StepsPlan& plan) {
  const Roofline roofline(document.limits);
  std::vector<const Record*> records;
  for (const PlannedStep& step : plan.steps) records.push_back(record_of(document, plan, step));
  const bool counted = !std::isnan(plan.unit_bytes);
  Grid grid = empty_grid(plan, rate_title(records), counted);
  const bool has_counts = has_memory_counts(records);
  if (has_counts) add_memory_columns(grid);
  const ErrorClass error_class = class_of(document, plan);
  double before = no_value;
  auto next = records.begin();
  for (const PlannedStep& step : plan.steps) {
    const Record* record = *next++;
    const double seconds = measured_seconds(record);
    const bool measured = seconds > 0;
    const bool apart = step.peer || (record && record->error_class != error_class);
    std::vector<std::string> row{label_of(step, record, error_class),
                                 measured ? duration(seconds) : reason_of(record),
                                 measured ? duration(record->seconds_spread()) : "",
                                 measured ? figure(record->rate()) : "",
                                 percent(measured ? roofline.share(*record) : no_value),
                                 apart ? "" : times(before / seconds)};
    if (counted) {
      row.push_back(figure(step.bytes));
      row.push_back(
          percent(measured ? counted_share(roofline, *record, step.bytes, plan.unit_bytes) : no_value));
    }
    if (has_counts) add_memory_cells(row, record);
    grid.rows.push_back(std::move(row));
    if (!apart) before = seconds;
  }
  return grid;
}

extern const ReportKind steps_report{
    .kind = "steps", .title = "Step by step", .full = full, .summary = full, .found = found, .page = page};

}  // namespace tallcache
