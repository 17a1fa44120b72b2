#include "bench/report/steps.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bench/report/charts.hpp"
#include "bench/report/device_memory.hpp"
#include "bench/report/device_state.hpp"
#include "bench/report/format.hpp"
#include "bench/report/kind.hpp"
#include "bench/report/limits.hpp"
#include "bench/report/provenance.hpp"

namespace tallcache {
namespace {

const Record* record_of(const Document& document, const Json& part, const Json& step) {
  for (const Record& record : document.measurements)
    if (part.at("operation") == record.operation && part.at("element") == record.element &&
        part.at("backend") == record.backend && part.at("shape") == record.shape &&
        step.at("variant") == record.variant && step.at("params") == record.params &&
        step.at("threads") == record.threads)
      return &record;
  return nullptr;
}

// The share of the bandwidth that a run uses, from the bytes that its step counts.
double counted_share(const Roofline& roofline, const Record& record, double bytes, double unit_bytes) {
  const double units = record.value("traffic") / unit_bytes;
  return bytes * units / measured_seconds(&record) * 1e-9 / roofline.gb_per_s(record.backend, record.threads);
}

Grid empty_grid(const Json& part, const std::string& rate, bool counted) {
  Grid grid{.caption = fmt::format("{} {}, {}:", part.at("operation").get<std::string>(),
                                   part.at("element").get<std::string>(), sizes_text(part.at("shape"))),
            .columns = {{"step", true},
                        {"ms"},
                        {"+- ms"},
                        {rate},
                        {"of " + part.at("limit").get<std::string>()},
                        {"over the step before"}},
            .rows = {}};
  if (counted) {
    grid.columns.push_back(
        {fmt::format("bytes moved for each {}, counted", part.at("unit").get<std::string>())});
    grid.columns.push_back({"of the bandwidth, by these"});
  }
  return grid;
}

std::string markdown(const Document& document, const Json& part) {
  std::vector<const Record*> records;
  for (const Json& step : part.at("steps")) records.push_back(record_of(document, part, step));
  const std::string notes = class_notes(records);
  return render(steps_grid(document, part), Style::markdown) + (notes.empty() ? "" : "\n" + notes + "\n");
}
std::string full(const Document& document) { return join_parts(document, markdown); }
std::string summary(const Document& document) { return measured_on(document) + "\n" + full(document); }

bool faster(const Record* record, const Record* than) {
  return measured_seconds(record) > 0 && (!than || measured_seconds(record) < measured_seconds(than));
}

std::string place_of(const Document& document, const Record& record) {
  if (record.backend != "cpu") return document.context.at("gpus").at(0).at("name");
  return fmt::format("{} of {}", record.threads == 1 ? "one core" : fmt::format("{} cores", record.threads),
                     document.context.at("cpu").get<std::string>());
}

// The class in which the steps of a part are compared: the first's.
ErrorClass class_of(const Document& document, const Json& part) {
  const Record* first = record_of(document, part, part.at("steps").at(0));
  return first ? first->error_class : ErrorClass::standard;
}

// The label of a step, and the class of its errors where that is another.
std::string label_of(const Json& step, const Record* record, ErrorClass error_class) {
  const std::string label = step.at("label");
  return record && record->error_class != error_class
             ? fmt::format("{} ({})", label, name_of(record->error_class))
             : label;
}

// The fastest step over the textbook's text, which is the first step, and over the fastest library, all on as
// many threads and of one error class. It names the libraries that were not measured. Empty when none was.
std::string sentence(const Document& document, const Json& part) {
  const Json& steps = part.at("steps");
  const Record *const textbook = record_of(document, part, steps.at(0)), *best = nullptr, *library = nullptr;
  std::string missing;
  if (!(measured_seconds(textbook) > 0)) return {};
  for (const Json& step : steps) {
    const Record* const record = record_of(document, part, step);
    const Record*& fastest = step.at("peer") ? library : best;
    if (step.at("threads") != textbook->threads) continue;
    if (step.at("peer") && !(measured_seconds(record) > 0))
      missing += fmt::format("{}`{}`", missing.empty() ? "" : ", ", step.at("variant").get<std::string>());
    if (record && record->error_class == textbook->error_class && faster(record, fastest)) fastest = record;
  }
  // Steps of one variant's parameters begin with no textbook's.
  const bool one_variant = std::ranges::all_of(
      steps, [&](const Json& step) { return step.at("peer") || step.at("variant") == textbook->variant; });
  if (!library || one_variant) return {};
  const double seconds = measured_seconds(best);
  const Json& build = document.context.at("build");
  const std::string throttling = throttling_text(document);
  return fmt::format(
      "- **{}**, {}, {}: `{}` takes {} ms, {:.3g} times as fast as the textbook's `{}` and {:.3g} times as "
      "fast as the fastest library of the same run of `tallcache steps`, `{}`{} ({}; {}, commit {}{}{}).\n",
      part.at("operation").get<std::string>(), part.at("element").get<std::string>(),
      sizes_text(part.at("shape")), best->variant, figure(seconds * 1e3),
      measured_seconds(textbook) / seconds, textbook->variant, measured_seconds(library) / seconds,
      library->variant, missing.empty() ? "" : fmt::format(", without {}", missing),
      place_of(document, *best), build.at("compiler").get<std::string>(), short_commit(build),
      throttling.empty() ? "" : "; ", throttling);
}

std::string found(const Document& document) {
  std::string sentences;
  for (const Json& part : document.plan) sentences += sentence(document, part);
  return sentences;
}

Blocks page(const Document& document) {
  Blocks blocks;
  for (const Json& part : document.plan) {
    Grid grid = steps_grid(document, part);
    Ranking ranking{.title = grid.caption};
    const ErrorClass error_class = class_of(document, part);
    for (const Json& step : part.at("steps"))
      if (const Record* record = record_of(document, part, step); measured_seconds(record) > 0) {
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

Grid steps_grid(const Document& document, const Json& part) {
  const Roofline roofline(document.limits);
  std::vector<const Record*> records;
  for (const Json& step : part.at("steps")) records.push_back(record_of(document, part, step));
  const bool counted = part.contains("unit_bytes");
  Grid grid = empty_grid(part, rate_title(records), counted);
  const bool has_counts = has_memory_counts(records);
  if (has_counts) add_memory_columns(grid);
  const ErrorClass error_class = class_of(document, part);
  double before = no_value;
  auto next = records.begin();
  for (const Json& step : part["steps"]) {
    const Record* record = *next++;
    const double seconds = measured_seconds(record);
    const bool measured = seconds > 0;
    const bool apart = step.at("peer") || (record && record->error_class != error_class);
    std::vector<std::string> row{label_of(step, record, error_class),
                                 measured ? figure(seconds * 1e3) : reason_of(record),
                                 measured ? figure(record->seconds_spread() * 1e3) : "",
                                 measured ? figure(record->rate()) : "",
                                 percent(measured ? roofline.share(*record) : no_value),
                                 apart ? "" : times(before / seconds)};
    if (counted) {
      const double bytes = step.value("bytes", no_value);
      row.push_back(figure(bytes));
      row.push_back(
          percent(measured ? counted_share(roofline, *record, bytes, part["unit_bytes"]) : no_value));
    }
    if (has_counts) add_memory_cells(row, record);
    grid.rows.push_back(std::move(row));
    if (!apart) before = seconds;
  }
  return grid;
}

const ReportKind steps_report{
    .kind = "steps", .full = full, .summary = summary, .found = found, .page = page};

}  // namespace tallcache
