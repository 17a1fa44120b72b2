#include "bench/studies/run/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/show/charts.hpp"
#include "bench/show/format.hpp"
#include "bench/show/kind.hpp"

namespace tallcache {
namespace {

// What is behind the figures: the times of the phases, and what a library chose.
std::string remarks_of(const Record& record) {
  std::string text;
  for (const Quantity& quantity : record.quantities)
    if (quantity.name == "time" && quantity.at.contains("phase"))
      text += fmt::format("{}{} {:.4f} ms", text.empty() ? "" : ", ", quantity.at["phase"].get<std::string>(),
                          quantity.value * 1e3);
  if (!record.runs_as.empty()) text += fmt::format("{}as {}", text.empty() ? "" : "; ", record.runs_as);
  return text;
}

std::string caption_of(const Document& document) {
  const Record& first = document.measurements.front();
  int threads = 1;  // of the CPU's variants
  for (const Record& record : document.measurements) threads = std::max(threads, record.threads);
  std::string text =
      fmt::format("{} {} {}", first.operation, first.element, sizes_text(first.shape, "=", ","));
  if (threads > 1) text += fmt::format(" on {} threads", threads);
  for (const auto& [name, value] : first.conditions.items())
    if (name != "launch")
      text += fmt::format(", {} {}", value.get<std::string>(), name);  // in each row's name
  return text + ":";
}

std::string full(const Document& document) { return render(run_grid(document), Style::markdown); }

Blocks page(const Document& document) {
  Grid grid = run_grid(document);
  std::vector<const Record*> records;
  for (const Record& record : document.measurements) records.push_back(&record);
  Ranking ranking{.title = grid.caption, .x = rate_title(records)};
  for (const Record* record : records)
    if (!std::isnan(record->rate(measured_seconds(record)))) ranking.items.push_back(rate_item(*record));
  Blocks blocks;
  if (!ranking.items.empty()) blocks.emplace_back(std::move(ranking));
  blocks.emplace_back(std::move(grid));
  return blocks;
}

}  // namespace

Grid run_grid(const Document& document) {
  if (document.measurements.empty()) throw Error("nothing was measured");
  std::vector<const Record*> records;
  for (const Record& record : document.measurements) records.push_back(&record);
  Grid grid{.caption = caption_of(document),
            .columns = {{"variant", true}, {"median ms"}, {"+- ms"}, {rate_title(records)}, {"", true}}};
  for (const Record* record : records) {
    const double seconds = measured_seconds(record);
    const std::string name = (record->backend == "cpu" ? "" : record->backend + " ") + variant_name(*record);
    if (!(seconds > 0))
      grid.rows.push_back({name, "-", "", "", reason_of(record)});
    else
      grid.rows.push_back({name, fmt::format("{:.4f}", seconds * 1e3),
                           fmt::format("{:.4f}", record->seconds_spread() * 1e3),
                           fmt::format("{:.2f}", record->rate()), remarks_of(*record)});
  }
  if (std::ranges::all_of(grid.rows, [](const auto& row) { return row.back().empty(); })) {
    grid.columns.pop_back();
    for (auto& row : grid.rows) row.pop_back();
  }
  return grid;
}

extern const ReportKind run_report{.kind = "run", .title = "Single runs", .full = full, .page = page};

}  // namespace tallcache
