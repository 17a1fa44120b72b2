#include "bench/show/drawing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "bench/show/axis.hpp"
#include "bench/show/page_files.hpp"
#include "bench/show/svg.hpp"
#include "common/error.hpp"

namespace tallcache {
namespace {

using svg::font_px;
using svg::line_px;

constexpr std::size_t colours = 14, most_in_card = 8;
constexpr double sample_width = 30;  // of a line in the legend, with the gap before its name

// A named series in the legend.
struct LegendEntry {
  const Series* series;
  std::string group;  ///< its classes
  double end;         ///< where its line ends, in pixels from above
};

struct Frame {
  double width, left, right, top, bottom;
  LogAxis x, y;
  Unit x_unit, y_unit;
  std::vector<double> x_ticks, y_ticks;
};

bool has_point(const Series& series) {
  return std::ranges::any_of(series.points, [](const ChartPoint& p) { return p.x > 0 && p.y > 0; });
}

// A colour for each series but the bounds that stand alone; a companion has that of the series before it.
std::vector<std::string> groups_of(const Chart& chart) {
  std::vector<std::string> groups;
  std::size_t next = 0;
  std::string colour;
  for (const Series& series : chart.series) {
    if (!series.companion)
      colour = series.family == Family::theory ? "k" : fmt::format("k k{}", next++ % colours);
    groups.push_back(fmt::format("{} {}{}{}", colour, svg::name_of(series.family),
                                 series.drawn == Drawn::bound ? " bound" : "",
                                 series.stressed ? " stressed" : ""));
  }
  return groups;
}

std::vector<double> values_of(const Chart& chart, bool of_y) {
  std::vector<double> values;
  for (const Series& series : chart.series)
    for (const ChartPoint& point : series.points) {
      if (!(point.x > 0) || !(point.y > 0)) continue;
      values.push_back(of_y ? point.y : point.x);
      if (of_y) values.insert(values.end(), {point.low, point.high});
    }
  return values;
}

Frame frame_of(const Chart& chart, double width, double legend_width, double top, double plot_height) {
  Frame frame{.width = width,
              .left = 0,
              .right = width - legend_width - 14,
              .top = top,
              .bottom = top + plot_height,
              .x = axis_over(values_of(chart, false), 0.03),
              .y = axis_over(values_of(chart, true), 0.05),
              .x_unit = unit_of_axis(chart.x),
              .y_unit = unit_of_axis(chart.y),
              .x_ticks = {},
              .y_ticks = {}};
  frame.y.first = frame.bottom, frame.y.last = frame.top;
  frame.y_ticks = ticks_of(frame.y, frame.y_unit, false);
  for (const double tick : frame.y_ticks)
    frame.left = std::max(frame.left, text_width(tick_text(tick, frame.y_unit), font_px) + 8);
  frame.x.first = frame.left, frame.x.last = frame.right;
  frame.x_ticks = ticks_of(frame.x, frame.x_unit, true, values_of(chart, false));
  return frame;
}

std::string axes(const Chart& chart, const Frame& frame) {
  std::string text;
  for (const double tick : frame.y_ticks) {
    const double y = frame.y.at(tick);
    text += svg::line(frame.left, y, frame.right, y, "rule") +
            svg::text(frame.left - 6, y + 4, "tick end", tick_text(tick, frame.y_unit));
  }
  for (const double tick : frame.x_ticks) {
    const double x = frame.x.at(tick);
    text += svg::line(x, frame.bottom, x, frame.bottom + 4, "axis") +
            svg::text(x, frame.bottom + 17, "tick middle", tick_text(tick, frame.x_unit));
  }
  text += svg::line(frame.left, frame.bottom, frame.right, frame.bottom, "axis");
  const double above = frame.top - (chart.marks.empty() ? 8 : 24);
  return text + svg::text(0, above, "name", chart.y) +
         svg::text((frame.left + frame.right) / 2, frame.bottom + 34, "name middle", chart.x);
}

// Vertical rules, with the names that do not lie on the one before.
std::string rules(const Chart& chart, const Frame& frame) {
  std::string text;
  double free = 0;
  for (const Chart::Mark& mark : chart.marks) {
    if (!(mark.x > 0) || !frame.x.holds(mark.x)) continue;
    const double x = frame.x.at(mark.x), half = text_width(mark.name, font_px) / 2;
    text += svg::line(x, frame.top, x, frame.bottom, "mark");
    if (x - half < free || x + half > frame.width) continue;
    text += svg::text(x, frame.top - 5, "name middle", mark.name);
    free = x + half + 6;
  }
  return text;
}

std::string tip(const Chart& chart, const Series& series, const ChartPoint& point) {
  const std::string spread = std::isfinite(point.low) && std::isfinite(point.high)
                                 ? fmt::format(" ({} to {})", figure(std::min(point.low, point.high)),
                                               figure(std::max(point.low, point.high)))
                                 : "";
  return fmt::format("{}{}{}\n{}: {}\n{}: {}{}", series.name, point.name.empty() ? "" : ": ", point.name,
                     chart.x, figure(point.x), chart.y, figure(point.y), spread);
}

// A curve of many points has a marker at every eighth, each curve at other points.
bool has_marker(const Series& series, std::size_t point, std::size_t number) {
  return series.drawn == Drawn::points ||
         (series.drawn == Drawn::line && (series.points.size() <= 20 || point % 8 == number % 8));
}

std::string drawn_series(const Chart& chart, const Series& series, const std::string& group,
                         std::size_t number, const Frame& frame) {
  std::string path, spreads, dots;
  for (std::size_t i = 0; i < series.points.size(); ++i) {
    const ChartPoint& point = series.points[i];
    if (!(point.x > 0) || !(point.y > 0)) continue;
    const double x = frame.x.at(point.x), y = frame.y.at(point.y);
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x, y);
    if (point.low > 0 && point.high > 0)
      spreads += svg::line(x, frame.y.at(point.low), x, frame.y.at(point.high), "spread");
    if (has_marker(series, i, number)) dots += svg::marker(series.family, x, y, tip(chart, series, point));
  }
  if (series.drawn == Drawn::points) path.clear();
  return fmt::format("<g class=\"{}\">{}{}{}</g>", group,
                     path.empty() ? "" : fmt::format("<path class=\"line\" d=\"{}\"/>", path), spreads, dots);
}

struct Box {
  double left, right, top, bottom;
  bool meets(const Box& other) const {
    return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
  }
};

// Labels at points: each, the highest first, at the first of its places that is clear of all points and of
// the labels before it. Where there is no room the tip and the table name the point.
std::string point_labels(const Chart& chart, const Frame& frame) {
  struct Labelled {
    double x, y;
    const std::string* label;
  };
  std::vector<Labelled> labelled;
  std::vector<Box> taken;
  for (const Series& series : chart.series)
    for (const ChartPoint& point : series.points) {
      if (series.drawn == Drawn::bound || !(point.x > 0) || !(point.y > 0)) continue;
      const double x = frame.x.at(point.x), y = frame.y.at(point.y);
      taken.push_back({x - 5, x + 5, y - 5, y + 5});
      if (!point.label.empty()) labelled.push_back({x, y, &point.label});
    }
  std::ranges::sort(labelled, {}, &Labelled::y);
  std::string text;
  constexpr double point_gap = 3;
  for (const Labelled& one : labelled) {
    const double wide = text_width(*one.label, font_px), half = wide / 2 + 9;
    for (const auto& [dx, dy] : {std::pair{half, 0.0}, {-half, 0.0}, {0.0, -15.0}, {0.0, 15.0}}) {
      const double x = one.x + dx, y = one.y + dy;
      const Box box{x - wide / 2 - point_gap, x + wide / 2 + point_gap, y - 6 - point_gap, y + 6 + point_gap};
      const bool inside = box.left >= frame.left && box.right <= frame.right && box.top >= frame.top &&
                          box.bottom <= frame.bottom;
      if (!inside || std::ranges::any_of(taken, [&](const Box& other) { return box.meets(other); })) continue;
      taken.push_back(box);
      text += svg::text(x, y + 4, "label middle", *one.label);
      break;
    }
  }
  return text;
}

std::vector<LegendEntry> entries_of(const Chart& chart, const std::vector<std::string>& groups) {
  std::vector<LegendEntry> entries;
  for (std::size_t i = 0; i < chart.series.size(); ++i)
    if (const Series& series = chart.series[i];
        !series.companion && !series.name.empty() && has_point(series))
      entries.push_back({&series, groups[i], 0});
  return entries;
}

// From above as the lines end; points, which end nowhere, stay last and in their order.
void order(std::vector<LegendEntry>& entries, const Frame& frame) {
  for (LegendEntry& entry : entries) {
    const auto last = std::ranges::max_element(entry.series->points, {}, &ChartPoint::x);
    entry.end = entry.series->drawn == Drawn::points ? frame.bottom : frame.y.at(last->y);
  }
  std::ranges::stable_sort(entries, {}, &LegendEntry::end);
}

std::string sample(const LegendEntry& entry, double x, double y) {
  const bool line = entry.series->drawn != Drawn::points, dot = entry.series->drawn != Drawn::bound;
  return fmt::format("<g class=\"{}\">{}{}</g>", entry.group, line ? svg::line(x, y, x + 22, y, "line") : "",
                     dot ? svg::marker(entry.series->family, x + 11, y) : "");
}

std::string legend_text(const LegendEntry& entry, double x, double y, std::string_view words) {
  return svg::text(x, y, entry.series->stressed ? "entry stressed" : "entry", words);
}

// At the ends of the lines, moved apart so that no name lies on another, with a rule from each end.
std::string legend_beside(const std::vector<LegendEntry>& entries, const Frame& frame) {
  std::vector<double> at(entries.size());
  double from = frame.top;
  for (std::size_t i = 0; i < at.size(); ++i) from = (at[i] = std::max(entries[i].end, from)) + line_px;
  double to = frame.bottom;
  for (std::size_t i = at.size(); i-- > 0;) to = (at[i] = std::min(at[i], to)) - line_px;
  std::string text;
  for (std::size_t i = 0; i < at.size(); ++i) {
    const double x = frame.right + 14;
    text += fmt::format("<g class=\"{}\">{}</g>", entries[i].group,
                        entries[i].series->drawn == Drawn::points
                            ? ""
                            : svg::line(frame.right, entries[i].end, x - 2, at[i], "leader"));
    text += sample(entries[i], x, at[i]) +
            legend_text(entries[i], x + sample_width, at[i] + 4, entries[i].series->name);
  }
  return text;
}

// Below the chart, column by column; `height` grows by its lines.
std::string legend_below(const std::vector<LegendEntry>& entries, double width, double& height) {
  double longest = 1;
  for (const LegendEntry& entry : entries)
    longest = std::max(longest, text_width(entry.series->name, font_px));
  const std::size_t columns = longest + sample_width > width / 2 - 8   ? 1
                              : longest + sample_width > width / 3 - 8 ? 2
                                                                       : 3;
  const std::size_t rows = (entries.size() + columns - 1) / columns;
  std::string text;
  double bottom = height;
  for (std::size_t i = 0, row = 0; i < entries.size(); ++i, row = i % rows) {
    const double x = static_cast<double>(i / rows) * width / static_cast<double>(columns);
    double y = height + static_cast<double>(row) * line_px;
    if (columns == 1) y = bottom;
    text += sample(entries[i], x, y + 8);
    for (const std::string& words :
         wrapped_text(entries[i].series->name, columns > 1 ? width : width - sample_width, font_px)) {
      text += legend_text(entries[i], x + sample_width, y + 12, words);
      y += line_px;
    }
    bottom = std::max(bottom, y);
  }
  height = bottom;
  return text;
}

std::string summary(const Chart& chart, const std::vector<LegendEntry>& entries) {
  std::string text = fmt::format("{}. {} over {}: ", chart.title, chart.y, chart.x);
  for (const LegendEntry& entry : entries)
    text += (&entry == entries.data() ? "" : ", ") + entry.series->name;
  return text;
}

}  // namespace

bool is_crowded(const Chart& chart) {
  return chart.wide || std::ranges::count_if(chart.series, [](const Series& series) {
                         return !series.companion && has_point(series);
                       }) > static_cast<std::ptrdiff_t>(most_in_card);
}

std::string drawn(const Chart& chart, double width) {
  const std::vector<std::string> groups = groups_of(chart);
  std::vector<LegendEntry> entries = entries_of(chart, groups);
  const bool beside = width >= full_width;
  double longest = 0, height = 0;
  for (const LegendEntry& entry : entries)
    longest = std::max(longest, text_width(entry.series->name, font_px));
  std::string text = svg::title(chart.title, width, height);
  const double top = height + (chart.marks.empty() ? 30 : 46);
  const double plot = beside ? std::max(400.0, static_cast<double>(entries.size()) * line_px) : width * 0.55;
  const Frame frame = frame_of(chart, width, beside ? longest + sample_width + 14 : 0, top, plot);
  order(entries, frame);
  text += axes(chart, frame) + rules(chart, frame);
  for (const bool stressed : {false, true})
    for (std::size_t i = 0; i < chart.series.size(); ++i)
      if (chart.series[i].stressed == stressed && has_point(chart.series[i]))
        text += drawn_series(chart, chart.series[i], groups[i], i, frame);
  text += point_labels(chart, frame);
  height = frame.bottom + 44;
  if (beside)
    text += legend_beside(entries, frame);
  else if (entries.size() > 1 || !chart.companions.empty())
    text += legend_below(entries, width, height);
  if (!chart.companions.empty()) text += svg::text(0, (height += line_px) - 4, "name", chart.companions);
  return svg::root(width, height + 4, summary(chart, entries), text);
}

bool has_points(const Chart& chart) { return std::ranges::any_of(chart.series, has_point); }

std::string svg_file(const Chart& chart) {
  if (!has_points(chart)) throw Error(fmt::format("'{}' has nothing to plot", chart.title));
  std::string text = drawn(chart, full_width);
  text.insert(text.find('>') + 1, fmt::format("<style>{}</style>", chart_css));
  return text;
}

}  // namespace tallcache
