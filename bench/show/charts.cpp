#include "bench/show/charts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "bench/results/limits.hpp"
#include "bench/show/format.hpp"
#include "bench/show/gnuplot.hpp"

namespace tallcache {
namespace {

struct Text {
  std::string_view backend, folder, name;
};

constexpr std::array textbook_texts{
#define TALLCACHE_VARIANT(...)
#define TALLCACHE_PEER(...)
#define TALLCACHE_TEXTBOOK(folder, name) Text{"cpu", #folder, #name},
#include "cpu/variants.def"
#undef TALLCACHE_TEXTBOOK
#define TALLCACHE_TEXTBOOK(folder, name) Text{"gpu", #folder, #name},
#include "gpu/variants.def"
#undef TALLCACHE_TEXTBOOK
#undef TALLCACHE_VARIANT
#undef TALLCACHE_PEER
};

// A folder may hold operations of longer names, as lu holds lu_pivot.
bool is_textbook(const Record& record) {
  return std::ranges::any_of(textbook_texts, [&](const Text& text) {
    return text.backend == record.backend && text.name == record.variant &&
           record.operation.starts_with(text.folder);
  });
}

std::string cores(const std::string& backend, int threads) {
  if (backend != "cpu") return backend_title(backend);
  return threads == 1 ? "one core" : "all cores";
}

// The roof of one core, of all, or of a device, from a tenth of the ridge on.
void add_roof(Chart& chart, const Roofline& roofline, const std::string& backend, const std::string& element,
              int threads, double min, double max) {
  const double peak = roofline.gflop_per_s(backend, element, threads),
               bandwidth = roofline.gb_per_s(backend, threads);
  if (std::isnan(peak) || std::isnan(bandwidth)) return;
  const double ridge = peak / bandwidth;
  Series roof{.name = fmt::format("roof, {}", cores(backend, threads)),
              .family = Family::theory,
              .drawn = Drawn::bound};
  for (const double x : std::set<double>{std::min(min, ridge / 10), ridge, std::max(max, ridge * 4)})
    roof.points.push_back({x, std::min(peak, x * bandwidth)});
  chart.series.push_back(std::move(roof));
}

Chart roofline_of(const Document& document, const std::string& backend, const std::string& element) {
  Chart chart{
      .title = fmt::format("Roofline of {} on the {}: every timed variant", element, backend_title(backend)),
      .x = "flops per byte of minimum traffic",
      .y = "GFLOP/s"};
  std::map<Family, Series> by_family;
  double min = no_value, max = no_value;
  for (const Record& record : document.measurements) {
    const Quantity* work = record.find("work");
    const double intensity = work ? work->value / record.value("traffic") : no_value;
    if (record.backend != backend || record.element != element || !(measured_seconds(&record) > 0) ||
        !(intensity > 0) || work->unit != "flop")
      continue;
    const Family family = family_of(record);
    Series& series = by_family[family];
    series.family = family, series.drawn = Drawn::points;
    ChartPoint& point = series.points.emplace_back(rate_point(record, intensity));
    point.name = fmt::format("{} {}, {}", record.operation, name_of(record), sizes_text(record.shape));
    point.label = record.variant;
    min = std::fmin(min, intensity), max = std::fmax(max, intensity);
  }
  const Roofline roofline(document.limits);
  if (by_family.empty()) return chart;
  for (const int threads : {1, 2})
    if (threads == 1 || backend == "cpu") add_roof(chart, roofline, backend, element, threads, min, max);
  if (chart.series.empty()) return chart;
  constexpr std::array names{"textbook", "ours", "library", "theory"};
  for (auto& [family, series] : by_family) {
    series.name = names[static_cast<std::size_t>(family)];
    chart.series.push_back(std::move(series));
  }
  return chart;
}

}  // namespace

Family family_of(const Record& record) {
  return record.peer ? Family::library : is_textbook(record) ? Family::textbook : Family::ours;
}

ChartPoint rate_point(const Record& record, double x) {
  const double seconds = measured_seconds(&record), spread = record.seconds_spread();
  return {x, record.rate(seconds), record.rate(seconds + spread),
          spread < seconds ? record.rate(seconds - spread) : no_value};
}

Ranking::Item rate_item(const Record& record) {
  const ChartPoint point = rate_point(record, 0);
  return {.name = name_of(record),
          .family = family_of(record),
          .value = point.y,
          .low = point.low,
          .high = point.high};
}

std::vector<Chart> rooflines(const Document& document) {
  std::set<std::pair<std::string, std::string>> kinds;
  for (const Record& limit : document.limits)
    if (limit.operation == "multiply_add") kinds.emplace(limit.backend, limit.element);
  std::vector<Chart> charts;
  for (const auto& [backend, element] : kinds)
    if (Chart chart = roofline_of(document, backend, element); !chart.series.empty())
      charts.push_back(std::move(chart));
  return charts;
}

std::vector<Chart> errors_beside_speeds(const Document& document) {
  std::map<std::string, Chart> charts;
  for (const Record& record : document.measurements) {
    const auto error = std::ranges::find(record.quantities, Origin::reference, &Quantity::origin);
    if (error == record.quantities.end() || !(error->value > 0) || std::isnan(record.rate())) continue;
    const std::string problem =
        fmt::format("{} {}, {}", record.operation, record.element, sizes_text(record.shape));
    Chart& chart = charts[problem];
    chart.title = "Error beside speed: " + problem;
    chart.x = fmt::format("{}{}", error->name, error->unit == "1" ? "" : ", " + error->unit);
    chart.y = record.rate_unit();
    chart.series.push_back({.name = name_of(record),
                            .family = family_of(record),
                            .points = {rate_point(record, error->value)},
                            .drawn = Drawn::points});
    chart.series.back().points[0].label = record.variant;
  }
  std::vector<Chart> list;
  for (auto& [problem, chart] : charts) list.push_back(std::move(chart));
  return list;
}

std::vector<Chart> in_charts(const Chart& empty, const std::vector<std::vector<Series>>& groups) {
  const auto lines = [](const std::vector<Series>& list) {
    return static_cast<std::size_t>(
        std::ranges::count_if(list, [](const Series& series) { return series.drawn != Drawn::points; }));
  };
  std::vector<Chart> charts;
  for (const std::vector<Series>& group : groups) {
    if (charts.empty() || lines(charts.back().series) + lines(group) > max_lines) charts.push_back(empty);
    auto& series = charts.back().series;
    series.insert(series.end(), group.begin(), group.end());
  }
  for (std::size_t i = 0; charts.size() > 1 && i < charts.size(); ++i)
    charts[i].title += fmt::format(" ({} of {})", i + 1, charts.size());
  return charts;
}

std::string chart_plot(const Chart& chart) {
  const char* unit = chart.x.find("bytes") != chart.x.npos ? "%.0b%B" : "%.0s%c";
  std::string text = fmt::format(
      "set logscale xy 2\nset format x '{}'\nset format y '%.0s%c'\nset tmargin 4\n"
      "set title {} offset 0,1\nset xlabel {}\nset ylabel {}\n",
      unit, quoted(chart.title), quoted(chart.x), quoted(chart.y));
  for (const Chart::Mark& mark : chart.marks)
    if (mark.x > 0)
      text += fmt::format(
          "set arrow from {0}, graph 0 to {0}, graph 1 nohead dt 2 lc rgb '#808080'\n"
          "set label {1} at {0}, graph 1.03 center\n",
          mark.x, quoted(mark.name));
  std::string plots;
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    const Series& series = chart.series[i];
    std::string points;
    for (const ChartPoint& point : series.points)
      if (point.x > 0 && point.y > 0) points += fmt::format("{} {}\n", point.x, point.y);
    if (points.empty()) continue;
    text += fmt::format("$s{} << E\n{}E\n", i, points);
    const char* drawn = series.drawn == Drawn::line     ? "linespoints pt 7 ps 0.5 lw 1.5"
                        : series.drawn == Drawn::points ? "points pt 7 ps 0.7"
                                                        : "lines lw 1";
    plots += fmt::format("{}$s{} with {} lc rgb '{}' title {}", plots.empty() ? "" : ", ", i, drawn,
                         plot_colours[i % plot_colours.size()], quoted(series.name));
  }
  if (plots.empty()) throw Error(fmt::format("'{}' has nothing to plot", chart.title));
  return text + "plot " + plots + "\n";
}

}  // namespace tallcache
