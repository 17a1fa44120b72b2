#include "bench/studies/run/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/show/charts.hpp"
#include "bench/show/format.hpp"
#include "bench/show/kind.hpp"

namespace tallcache {
namespace {

// "1.25 J, 31 W", or why it is not known; empty where it was not asked for.
std::string energy_of(const Record& record) {
  const Quantity* const energy = record.find("energy");
  if (!energy) return "";
  if (!energy->reason.empty()) return "no energy: " + energy->reason;
  return fmt::format("{:.3g} J, {:.3g} W", energy->value, energy->value / record.seconds());
}

// What is behind the figures: the times of the phases, and what a library chose.
std::string remarks_of(const Record& record) {
  std::string text;
  for (const Quantity& quantity : record.quantities)
    if (quantity.name == "time" && quantity.at.contains("phase"))
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", quantity.at["phase"].get<std::string>(),
                          duration(quantity.value));
  if (record.outcome.status == Status::pending)
    text += std::string(text.empty() ? "" : "; ") + "interrupted: not verified again";
  if (const std::string energy = energy_of(record); !energy.empty())
    text += (text.empty() ? "" : "; ") + energy;
  if (!record.runs_as.empty()) text += fmt::format("{}as {}", text.empty() ? "" : "; ", record.runs_as);
  return text;
}

using Records = std::vector<const Record*>;

std::string caption_of(const Records& records) {
  const Record& first = *records.front();
  int threads = 1;  // of the CPU's variants
  for (const Record* record : records) threads = std::max(threads, record->threads);
  std::string text =
      fmt::format("{} {} {}", first.operation, first.element, sizes_text(first.shape, "=", ","));
  if (threads > 1) text += fmt::format(" on {} threads", threads);
  for (const auto& [name, value] : first.conditions.items())
    if (name != "launch")
      text += fmt::format(", {} {}", value.get<std::string>(), name);  // in each row's name
  return text + ":";
}

// The records of each shape, in the order in which they were measured.
std::vector<Records> by_shape(const Document& document) {
  if (document.measurements.empty()) throw Error("nothing was measured");
  std::vector<Records> groups;
  for (const Record& record : document.measurements) {
    if (groups.empty() || groups.back().front()->shape != record.shape) groups.emplace_back();
    groups.back().push_back(&record);
  }
  return groups;
}

std::string name_in_row(const Record& record) {
  return (record.backend == "cpu" ? "" : record.backend + " ") + variant_name(record);
}

// Seconds; also of a run that was interrupted before its last verification.
double seconds_of(const Record& record) {
  return record.outcome.status == Status::pending ? record.seconds() : measured_seconds(&record);
}

// The records of a device that none of them could use for one and the same reason; none where there are less
// than two.
Records without_device(const Records& records) {
  Records absent;
  for (const Record* record : records) {
    if (record->backend == "cpu") continue;
    if (record->outcome.status != Status::unavailable) return {};
    if (!absent.empty() && (absent.front()->outcome.reason != record->outcome.reason ||
                            absent.front()->backend != record->backend))
      return {};
    absent.push_back(record);
  }
  return absent.size() < 2 ? Records() : absent;
}

// Drops the last column where it is empty.
void drop_empty_last(Grid& grid) {
  if (!std::ranges::all_of(grid.rows, [](const auto& row) { return row.back().empty(); })) return;
  grid.columns.pop_back();
  for (auto& row : grid.rows) row.pop_back();
}

Grid grid_of(const Records& records) {
  const auto is_timed = [](const Record* record) { return seconds_of(*record) > 0; };
  const auto first = std::ranges::find_if(records, is_timed);
  const bool compares = std::ranges::count_if(records, is_timed) > 1;
  Grid grid{.caption = caption_of(records),
            .columns = {{"variant", true}, {"median"}, {"+-"}, {rate_title(records)}}};
  if (compares) grid.columns.push_back({"over " + variant_name(**first)});
  grid.columns.push_back({"", true});
  const auto add = [&](std::vector<std::string> figures, const std::string& ratio, std::string remark) {
    if (compares) figures.push_back(ratio);
    figures.push_back(std::move(remark));
    grid.rows.push_back(std::move(figures));
  };
  const Records absent = without_device(records);
  for (const Record* record : records) {
    if (std::ranges::find(absent, record) != absent.end()) continue;
    const double seconds = seconds_of(*record);
    if (!is_timed(record))
      add({name_in_row(*record), "-", "", ""}, "", reason_of(record));
    else
      add({name_in_row(*record), duration(seconds), duration(record->seconds_spread()),
           fmt::format("{:.2f}", record->rate(seconds))},
          times(seconds_of(**first) / seconds), remarks_of(*record));
  }
  if (!absent.empty())
    add({fmt::format("{} variants on the {}", absent.size(), backend_title(absent.front()->backend)), "-", "",
         ""},
        "", reason_of(absent.front()));
  drop_empty_last(grid);
  return grid;
}

std::string full(const Document& document) {
  std::string text;
  for (const Grid& grid : run_grids(document))
    text += (text.empty() ? "" : "\n") + render(grid, Style::markdown);
  return text;
}

Blocks page(const Document& document) {
  Blocks blocks;
  for (const Records& records : by_shape(document)) {
    Grid grid = grid_of(records);
    Ranking ranking{.title = grid.caption, .x = rate_title(records)};
    for (const Record* record : records)
      if (!std::isnan(record->rate(measured_seconds(record)))) ranking.items.push_back(rate_item(*record));
    if (!ranking.items.empty()) blocks.emplace_back(std::move(ranking));
    blocks.emplace_back(std::move(grid));
  }
  return blocks;
}

}  // namespace

std::vector<Grid> run_grids(const Document& document) {
  std::vector<Grid> grids;
  for (const Records& records : by_shape(document)) grids.push_back(grid_of(records));
  return grids;
}

extern const ReportKind run_report{.kind = "run", .title = "Single runs", .full = full, .page = page};

}  // namespace tallcache
