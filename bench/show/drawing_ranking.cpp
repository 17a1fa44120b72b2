#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/show/axis.hpp"
#include "bench/show/drawing.hpp"
#include "bench/show/format.hpp"
#include "bench/show/svg.hpp"

namespace tallcache {
namespace {

using svg::font_px;

constexpr double row_px = 18;

std::string shown(const Ranking& ranking, double value) {
  return unit_of_axis(ranking.x) == Unit::seconds ? duration(value) : figure(value);
}

std::string tip(const Ranking& ranking, const Ranking::Item& item) {
  std::string text = fmt::format("{}\n{}: {}", item.name, ranking.value_name, shown(ranking, item.value));
  if (std::isfinite(item.low)) text += fmt::format(", from {}", shown(ranking, item.low));
  if (std::isfinite(item.high)) text += fmt::format(" to {}", shown(ranking, item.high));
  if (item.other > 0) text += fmt::format("\n{}: {}", ranking.other_name, shown(ranking, item.other));
  return text + (item.note.empty() ? "" : "\n" + item.note);
}

LogAxis axis_of(const Ranking& ranking) {
  std::vector<double> values{ranking.reference};
  for (const Ranking::Item& item : ranking.items)
    values.insert(values.end(), {item.value, item.low, item.high, item.other});
  return axis_over(values, 0.04);
}

// A row's marks at the height y, and its figure at the side where the other does not stand.
std::string marks(const Ranking& ranking, const Ranking::Item& item, const LogAxis& axis, double y) {
  std::string text;
  double left = axis.at(item.value), right = left;
  if (item.other > 0) {
    text += svg::line(axis.at(item.other), y, axis.at(item.value), y, "between") +
            fmt::format("<g class=\"theory k\">{}</g>", svg::marker(Family::theory, axis.at(item.other), y));
    left = std::min(left, axis.at(item.other)), right = std::max(right, axis.at(item.other));
  }
  if (item.low > 0)
    text += svg::line(axis.at(item.low), y, axis.at(std::isfinite(item.high) ? item.high : item.value), y,
                      "spread");
  if (std::isfinite(item.high)) right = std::max(right, axis.at(item.high));
  text += svg::marker(item.family, axis.at(item.value), y, tip(ranking, item));
  const bool on_left = item.other > item.value;
  text += svg::text(on_left ? left - 8 : right + 8, y + 4, on_left ? "label end" : "label",
                    shown(ranking, item.value));
  return fmt::format("<g class=\"k k0 {}\">{}</g>", svg::name_of(item.family), text);
}

}  // namespace

std::string drawn(const Ranking& ranking, double width) {
  double height = 0, longest = 0;
  std::string text = svg::title(ranking.title, width, height);
  if (!ranking.other_name.empty())
    text += svg::text(0, height += svg::line_px, "name",
                      fmt::format("● {}   × {}", ranking.value_name, ranking.other_name));
  for (const Ranking::Item& item : ranking.items) longest = std::max(longest, text_width(item.name, font_px));
  // Names that would leave no room for the figures stand above them.
  const bool above = longest > width * 0.5;
  double figure_px = 0;
  for (const Ranking::Item& item : ranking.items)
    figure_px = std::max(figure_px, text_width(shown(ranking, item.value), font_px) + 10);
  LogAxis axis = axis_of(ranking);
  axis.first = (above ? 0 : longest + 10) + (ranking.other_name.empty() ? 6 : figure_px);
  axis.last = width - figure_px;
  const double top = height + 10;
  double y = top;
  std::string rows;
  for (const Ranking::Item& item : ranking.items) {
    if (!above) rows += svg::text(longest, y + 15, "entry end", item.name);
    if (above)
      for (const std::string& words : wrapped_text(item.name, width, font_px))
        rows += svg::text(0, (y += svg::line_px) - 2, "label", words);
    rows += marks(ranking, item, axis, y + row_px / 2 + 2);
    y += row_px;
  }
  const double bottom = y + 4;
  const Unit unit = unit_of_axis(ranking.x);
  for (const double tick : ticks_of(axis, unit, true))
    text += svg::line(axis.at(tick), top, axis.at(tick), bottom, "rule") +
            svg::text(axis.at(tick), bottom + 14, "tick middle", tick_text(tick, unit));
  if (ranking.reference > 0)
    text += svg::line(axis.at(ranking.reference), top, axis.at(ranking.reference), bottom, "mark");
  text += rows;
  text += svg::text((axis.first + axis.last) / 2, bottom + 30, "name middle", ranking.x);
  return svg::root(width, bottom + 36,
                   fmt::format("{}: {} of {} rows", ranking.title, ranking.x, ranking.items.size()), text);
}

}  // namespace tallcache
