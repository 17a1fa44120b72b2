// The report of a table of timings.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/tables/timings.hpp"
#include "bench/tables/timings_charts.hpp"

namespace tallcache {
namespace {

// Drops columns of dashes: the slide's figures in a table that has none.
void drop_empty_columns(Grid& grid) {
  for (std::size_t c = grid.columns.size(); c-- > 0;) {
    if (!std::ranges::all_of(grid.rows, [c](const auto& row) { return row[c].empty() || row[c] == "-"; }))
      continue;
    grid.columns.erase(grid.columns.begin() + c);
    for (auto& row : grid.rows) row.erase(row.begin() + c);
  }
}

// The slide's figure with all its digits.
std::string printed(double value) { return std::isnan(value) ? "-" : fmt::format("{:.10g}", value); }

// The cells that are printed once for a case, or once for a variant of it.
struct RowHeader {
  std::string size, label, best_known;
};

std::vector<std::string> cells_of(const Timings& timings, const Case& c, const Line& line, RowHeader header) {
  const TimedTable& table = timings.table();
  const double here = timings.here(c, line), unit = table.per_second();
  const bool measured = !std::isnan(here), whole = line.phase.empty();
  // On several cores the speed-up is reported, on one core the rate.
  const bool speedup = whole && (line.threads > 1 || !timings.parallel());
  const double ratio = speedup ? timings.speedup(c, line) : no_value;
  const double rate = measured && whole && !timings.parallel()
                          ? per_second(table.operation->rate,
                                       table.operation->cost(complete_shape(*table.operation, c.shape)), here)
                          : no_value;
  return {std::move(header.size),
          std::move(header.label),
          timings.parallel() ? std::to_string(line.threads) : "",
          printed(timings.slide(c, line) * unit),
          measured ? figure(here * unit) : timings.why_absent(c, line),
          measured && whole ? figure(timings.spread(c, line) * unit) : "",
          speedup ? times(timings.slide_speedup(c, line)) : "",
          speedup ? times(ratio) : "",
          whole ? figure(rate) : "",
          line.threads > 1 && !std::isnan(ratio) ? fmt::format("{:.3f}", ratio / line.threads) : "",
          std::move(header.best_known)};
}

// The rows of a case. With `again` the slide's figures are printed above, with another case.
void add_case(const Timings& timings, const Case& c, bool again, Grid& grid) {
  std::string_view last;
  for (const Line& line : timings.table().lines) {
    const bool of_slide = !std::isnan(timings.slide(c, line)) && !again;
    if (!of_slide && !timings.record(c, line)) continue;
    const double best_known = last.empty() ? timings.here(c, timings.table().best_known) : no_value;
    grid.rows.push_back(cells_of(
        timings, c, line,
        {.size = last.empty() ? c.label : "",
         .label = last == line.label ? "" : std::string(line.label),
         .best_known = std::isnan(best_known) ? "" : figure(best_known * timings.table().per_second())}));
    last = line.label;
  }
}

// The speed-up over one core is reported at every case, over another variant at the last.
void add_ratios(const Timings& timings, const Case& c, bool last, Report& report) {
  for (const Line& line : timings.table().lines) {
    const Line& base = timings.baseline(line);
    const double slide = timings.slide_speedup(c, line), here = timings.speedup(c, line);
    if (&base == &line || !line.phase.empty() || std::isnan(slide) || std::isnan(here)) continue;
    if (line.threads > 1)
      report.ratios.push_back(
          {c.label, fmt::format("{} on {} cores over one", line.label, line.threads), slide, here});
    else if (last)
      report.ratios.push_back({c.label, fmt::format("{} over {}", line.label, base.label), slide, here});
  }
}

void add_notes(const Timings& timings, const std::string& left_out, Report& report) {
  report.notes.push_back(
      fmt::format("Times are medians, +- their median absolute deviation; speed-ups are over {}.",
                  timings.parallel() ? "the same program's serial elision, interleaved with it"
                                     : timings.table().lines.front().label));
  const Line& best_known = timings.table().best_known;
  if (std::ranges::any_of(timings.cases(), [&](const Case* c) { return timings.record(*c, best_known); }))
    report.notes.push_back(
        fmt::format("Today: what the same idea reaches now, {} on one core.", best_known.variant));
  if (!left_out.empty()) report.notes.push_back(fmt::format("Sizes reduced: {} only with --full.", left_out));
  report.left_out = left_out;
}

}  // namespace

Report report_of(const Timings& timings) {
  const TimedTable& table = timings.table();
  Report report;
  Grid& grid = report.grids.emplace_back();
  grid.columns = {{"size", true},
                  {"variant", true},
                  {"cores"},
                  {fmt::format("slide {}", table.unit)},
                  {fmt::format("here {}", table.unit)},
                  {"+- MAD"},
                  {"speed-up slide"},
                  {"speed-up here"},
                  {fmt::format("{} here", unit_of(table.operation->rate))},
                  {"efficiency here"},
                  {fmt::format("today {}", table.unit)}};
  std::string left_out;
  const Case* largest = nullptr;
  std::vector<Index> of_slide;
  for (const Case* c : timings.cases()) {
    // The slide's row is printed once, however many cases are compared with it.
    const bool again = std::ranges::find(of_slide, c->slide_n) != of_slide.end();
    of_slide.push_back(c->slide_n);
    add_case(timings, *c, again, grid);
    const bool measured =
        std::ranges::any_of(table.lines, [&](const Line& l) { return !std::isnan(timings.here(*c, l)); });
    if (measured && c->slide_n) largest = c;
    if (timings.left_out(*c)) left_out += (left_out.empty() ? "" : ", ") + c->label;
  }
  drop_empty_columns(grid);
  for (const Case* c : timings.cases()) add_ratios(timings, *c, c == largest, report);
  add_notes(timings, left_out, report);
  add_drawings(timings, report);
  return report;
}

Table timed(std::string_view id, std::string_view title, TimedTable (*timings)(),
            void (*add_findings)(const Timings&, Report&)) {
  return {id, title, [=](Scale scale, std::uint64_t seed) { return rows_of(timings(), scale, seed); },
          [=](const Inputs& inputs) {
            const TimedTable table = timings();
            const Timings figures(table, inputs);
            Report report = report_of(figures);
            add_findings(figures, report);
            return report;
          }};
}

}  // namespace tallcache
