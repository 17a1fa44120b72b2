#include "bench/tables/timings_charts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/show/charts.hpp"

namespace tallcache {
namespace {

constexpr std::string_view slide_note = "crosses, dotted: the slide's machine, in the colour of its variant";

bool is_swept(const Timings& timings) {
  return std::ranges::any_of(timings.table().lines, [](const Line& line) { return !line.swept.empty(); });
}

// Where a case stands on the axis: its largest size, or what it sweeps.
double place_of(const Timings& timings, const Case& c) {
  if (is_swept(timings)) return static_cast<double>(c.value);
  Index largest = 0;
  for (const auto& [name, size] : c.shape) largest = std::max(largest, size);
  return static_cast<double>(largest);
}

// "n" of "n = 128".
std::string axis_of(const Timings& timings) {
  for (const Line& line : timings.table().lines)
    if (!line.swept.empty()) return std::string(line.swept);
  const std::string& label = timings.table().cases.front().label;
  const auto end = label.find(" = ");
  return end == label.npos ? "largest size" : label.substr(0, end);
}

Family family_of_line(const Timings& timings, const Line& line) {
  for (const Case* c : timings.cases())
    if (const Record* record = timings.record(*c, line)) return family_of(*record);
  return Family::textbook;
}

// A line's own times and the slide's, to which points are added one by one.
struct Both {
  Series here, slide;
  bool over_sizes = false;

  Both(const Timings& timings, const Line& line, std::string name)
      : here{.name = name, .family = family_of_line(timings, line)},
        slide{.name = name + ", slide", .family = Family::theory, .companion = true} {}

  void add(const Timings& timings, const Case& c, const Line& line, double x) {
    if (const double value = timings.here(c, line); value > 0) {
      const double spread = timings.spread(c, line);
      here.points.push_back({x, value, value - spread, value + spread, c.label});
    }
    // The slide's row is drawn once, at its own size, however many cases are compared with it.
    const double at = over_sizes ? static_cast<double>(c.slide_n) : x, value = timings.slide(c, line);
    if (value > 0 && std::ranges::find(slide.points, at, &ChartPoint::x) == slide.points.end())
      slide.points.push_back({at, value});
  }
  void move_to(Chart& chart) {
    if (!slide.points.empty()) chart.companions = slide_note;
    for (Series* series : {&here, &slide}) std::ranges::sort(series->points, {}, &ChartPoint::x);
    if (here.points.empty()) slide.companion = false;
    if (!here.points.empty()) chart.series.push_back(std::move(here));
    if (!slide.points.empty()) chart.series.push_back(std::move(slide));
  }
};

bool is_measured(const Timings& timings, const Case& c) {
  return std::ranges::any_of(timings.table().lines, [&](const Line& l) { return timings.here(c, l) > 0; });
}

void add_over_sizes(const Timings& timings, Report& report) {
  Chart chart{.title = "", .x = axis_of(timings), .y = "time, s"};
  const TimedTable& table = timings.table();
  const auto add = [&](const Line& line, const std::string& name) {
    if (line.variant.empty() || !line.phase.empty()) return;
    Both both(timings, line, name);
    both.here.stressed = line.variant == cache_oblivious;
    both.over_sizes = !is_swept(timings);
    for (const Case* c : timings.cases()) both.add(timings, *c, line, place_of(timings, *c));
    both.move_to(chart);
  };
  for (const Line& line : table.lines)
    add(line, timings.parallel()
                  ? fmt::format("{}, {} core{}", line.label, line.threads, line.threads == 1 ? "" : "s")
                  : std::string(line.label));
  add(table.best_known, fmt::format("today: {}", table.best_known.variant));
  report.charts.push_back(std::move(chart));
}

void add_over_cores(const Timings& timings, const Case& c, Report& report) {
  Chart chart{.title = c.label, .x = "cores", .y = "time, s"};
  const auto& lines = timings.table().lines;
  for (std::size_t i = 0; i < lines.size();) {
    Both both(timings, lines[i], std::string(lines[i].label));
    both.here.stressed = lines[i].variant == cache_oblivious;
    for (const std::string_view label = lines[i].label; i < lines.size() && lines[i].label == label; ++i)
      if (lines[i].phase.empty()) both.add(timings, c, lines[i], lines[i].threads);
    both.move_to(chart);
  }
  report.charts.push_back(std::move(chart));
}

void add_ranking(const Timings& timings, const Case& c, Report& report) {
  Ranking ranking{.title = c.label, .x = "time, s"};
  for (const Line& line : timings.table().lines) {
    const double here = timings.here(c, line), slide = timings.slide(c, line),
                 spread = timings.spread(c, line);
    if (!(here > 0)) continue;
    if (slide > 0) ranking.other_name = "slide";
    ranking.items.push_back({.name = std::string(line.label),
                             .family = family_of_line(timings, line),
                             .value = here,
                             .low = here - spread,
                             .high = here + spread,
                             .other = slide});
  }
  report.rankings.push_back(std::move(ranking));
}

}  // namespace

void add_drawings(const Timings& timings, Report& report) {
  std::vector<const Case*> measured = timings.cases();
  std::erase_if(measured, [&](const Case* c) { return !is_measured(timings, *c); });
  if (measured.empty()) return;
  if (timings.parallel() && !is_swept(timings))
    for (const Case* c : measured) add_over_cores(timings, *c, report);
  else if (measured.size() == 1)
    add_ranking(timings, *measured.front(), report);
  else
    add_over_sizes(timings, report);
}

}  // namespace tallcache
