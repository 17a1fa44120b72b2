#include "bench/studies/ranks/ranks.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

#include "bench/show/charts.hpp"
#include "bench/show/format.hpp"
#include "bench/show/kind.hpp"

namespace tallcache {
namespace {

RanksPlan plan_of(const Document& document) { return parts_of<RanksPlan>(document).at(0); }
bool of_bounds(const Document& document) { return plan_of(document).mode == "bounds"; }

Index ranks_of(const Record& record) { return record.conditions.at("ranks").get<Index>(); }

std::string condition(const Record& record, const char* name) { return record.conditions.value(name, ""); }

std::string share(double part, double whole) { return percent(part / whole, 1); }

// A row for each record: what it moves beside the bound and, where there are times, how long it takes.
Grid records_grid(const Document& document) {
  const bool timed =
      std::ranges::any_of(document.measurements, [](const Record& record) { return record.seconds() > 0; });
  const RanksPlan plan = plan_of(document);
  Grid grid{.caption = fmt::format("{} over ranks, {}:", plan.operation, plan.mode),
            .columns = {{"ranks"},
                        {"shape", true},
                        {"variant", true},
                        {"words"},
                        {"over bound"},
                        {"messages"},
                        {"memory MiB"}}};
  if (timed)
    for (const char* title :
         {"median", "+-", "GFLOP/s or GB/s", "leaf", "longest", "shared", "moving", "waiting", "for leaves"})
      grid.columns.push_back({title});
  grid.columns.push_back({"", true});
  for (const Record& record : document.measurements) {
    std::string variant = record.variant;
    if (record.threads > 1) variant += fmt::format(", {} threads", record.threads);
    for (const char* name : {"layout", "leaves", "peer grid"})
      if (const std::string text = condition(record, name); !text.empty()) variant += ", " + text;
    std::vector<std::string> row{std::to_string(ranks_of(record)),
                                 sizes_text(record.shape, "=", ","),
                                 variant,
                                 figure(record.value("words")),
                                 figure(record.value("words") / record.value("bound")),
                                 figure(record.value("messages")),
                                 figure(record.value("memory") / 1048576)};
    if (timed) {
      const double seconds = record.seconds();
      row.insert(row.end(), {duration(seconds), duration(record.seconds_spread()), figure(record.rate())});
      const auto phases = [&](std::initializer_list<const char*> names) {
        for (const char* phase : names)
          row.push_back(share(record.value("time", {{"phase", phase}}), seconds));
      };
      phases({"leaf", "longest leaf"});
      row.push_back(share(record.value("shared tiles"), 1));
      phases({"moving", "waiting", "waiting for leaves"});
    }
    row.push_back(record.outcome.reason.empty() && record.params.contains("grid")
                      ? record.params["grid"].get<std::string>()
                      : record.outcome.reason);
    grid.rows.push_back(std::move(row));
  }
  return grid;
}

// The words of each level, of the rank with the most.
Grid levels_grid(const Record& record) {
  Grid grid{.caption = fmt::format("Words by level, {} ranks, {}:", ranks_of(record), record.variant),
            .columns = {{"level"}, {"words, most"}, {"least"}}};
  for (int level = 1;; ++level) {
    double most = no_value, least = no_value;
    for (const Quantity& quantity : record.quantities)
      if (quantity.name == "words" && quantity.at.contains("level") && quantity.at["level"] == level) {
        most = std::isnan(most) ? quantity.value : std::max(most, quantity.value);
        if (quantity.at.contains("rank"))
          least = std::isnan(least) ? quantity.value : std::min(least, quantity.value);
      }
    if (std::isnan(most)) return grid;
    grid.rows.push_back({std::to_string(level), fmt::format("{:.0f}", most),
                         std::isnan(least) ? "-" : fmt::format("{:.0f}", least)});
  }
}

std::vector<Grid> bounds_grids(const Document& document) {
  std::vector<Grid> grids;
  for (const auto& [which, title] :
       {std::pair{"all", "all ranks"}, {"chosen", "up to a tenth of the ranks idle"}}) {
    Grid grid{.caption = fmt::format("Words over the bound, {}: median and most of a range of P:", title),
              .columns = {{"P", true}}};
    for (const Record& record : document.measurements)
      grid.columns.push_back({fmt::format("{} {}", record.row, sizes_text(record.shape, "=", ","))});
    for (const Quantity& range : document.measurements.at(0).quantities) {
      if (!range.at.contains("from") || range.at["ranks"] != which || range.at["of"] != "median") continue;
      Json most = range.at;
      most["of"] = "most";
      std::vector<std::string> row{
          fmt::format("{} to {}", range.at["from"].get<Index>(), range.at["to"].get<Index>())};
      for (const Record& record : document.measurements)
        row.push_back(fmt::format("{:.3f}  {:.4g}", record.value("words over bound", range.at),
                                  record.value("words over bound", most)));
      grid.rows.push_back(std::move(row));
    }
    grids.push_back(std::move(grid));
  }
  return grids;
}

std::vector<Grid> grids_of(const Document& document) {
  if (document.measurements.empty()) throw Error("nothing was measured");
  if (of_bounds(document)) return bounds_grids(document);
  std::vector<Grid> grids{records_grid(document)};
  for (const Record& record : document.measurements)
    if (const Grid levels = levels_grid(record); document.measurements.size() < 9 && !levels.rows.empty())
      grids.push_back(levels);
  return grids;
}

std::string text_of(const Document& document, Style style) {
  std::string text;
  for (const Grid& grid : grids_of(document)) text += (text.empty() ? "" : "\n") + render(grid, style);
  return text;
}

// Of records that differ in the number of ranks alone: words beside the bound and, with clocks, the time.
std::vector<Chart> scaling_charts(const Document& document) {
  Chart words{.title = "Words that a rank receives", .x = "ranks", .y = "words", .file = "words"};
  words.series = {{"REC-MULT", Family::ours}, {"bound", Family::theory}};
  words.series[1].drawn = Drawn::bound;
  Chart times{.title = "Time over ranks", .x = "ranks", .y = "time, s", .file = "time"};
  times.series = {{"REC-MULT", Family::ours}, {"its leaves", Family::theory}};
  times.series[1].drawn = Drawn::bound;
  const auto add = [](Series& series, double x, double y) {
    if (y > 0) series.points.push_back({x, y});
  };
  for (const Record& record : document.measurements) {
    if (record.variant != "recursive" || !condition(record, "layout").empty()) continue;
    const auto x = static_cast<double>(ranks_of(record));
    add(words.series[0], x, record.value("words"));
    add(words.series[1], x, record.value("bound"));
    add(times.series[0], x, record.seconds());
    add(times.series[1], x, record.value("time", {{"phase", "leaf"}}));
  }
  std::vector<Chart> charts;
  for (Chart& chart : std::vector<Chart>{words, times})
    if (chart.series[0].points.size() > 1) charts.push_back(std::move(chart));
  return charts;
}

std::vector<Chart> bounds_charts(const Document& document) {
  Chart chart{.title = "Words over the bound",
              .x = "ranks",
              .y = "words / bound",
              .wide = true,
              .companions = "crosses: up to a tenth of the ranks idle",
              .file = "words"};
  for (const Record& record : document.measurements)
    for (const char* which : {"all", "chosen"}) {
      const Quantity* curve = nullptr;
      for (const Quantity& quantity : record.quantities)
        if (!quantity.values.empty() && quantity.at.at("ranks") == which) curve = &quantity;
      if (!curve) continue;
      const bool chosen = curve->at["ranks"] == "chosen";
      Series series{.name = record.row + (chosen ? ", some idle" : ""),
                    .family = chosen ? Family::theory : Family::ours,
                    .drawn = Drawn::points,
                    .companion = chosen};
      for (std::size_t i = 0; i < curve->values.size(); ++i)
        series.points.push_back({curve->over.points[i], curve->values[i]});
      chart.series.push_back(std::move(series));
    }
  return {chart};
}

std::vector<Chart> charts_of(const Document& document) {
  return of_bounds(document) ? bounds_charts(document) : scaling_charts(document);
}

std::string full(const Document& document) { return text_of(document, Style::markdown); }

Blocks page(const Document& document) {
  Blocks blocks;
  for (Chart& chart : charts_of(document)) blocks.emplace_back(std::move(chart));
  for (Grid& grid : grids_of(document)) blocks.emplace_back(std::move(grid));
  return blocks;
}

}  // namespace

std::string ranks_text(const Document& document) { return text_of(document, Style::terminal); }

extern const ReportKind ranks_report{
    .kind = "ranks", .title = "Over ranks", .full = full, .charts = charts_of, .page = page};

}  // namespace tallcache
