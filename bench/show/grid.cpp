#include "bench/show/grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "bench/show/fit.hpp"

namespace tallcache {
namespace {

std::string pad(const std::string& text, std::size_t to, bool left) {
  const std::string space(to - std::min(to, width_of(text)), ' ');
  return left ? text + space : space + text;
}

std::string escaped(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, 1, '\\');
  return text;
}

// The columns of a line.
std::size_t width_of_lines(const FittedGrid& fit) {
  std::size_t total = 0;
  for (std::size_t c = 0; !fit.rows.empty() && c < fit.rows.front().size(); ++c) {
    std::size_t widest = 3;
    for (const auto& line : fit.rows) widest = std::max(widest, width_of(line[c]));
    total += fit.gap + widest;
  }
  return total;
}

// The columns that are named, alone.
Grid columns_of(const Grid& grid, const std::vector<std::size_t>& columns) {
  Grid part{.caption = grid.caption, .columns = {}};
  for (const std::size_t c : columns) part.columns.push_back(grid.columns[c]);
  for (const auto& row : grid.rows) {
    auto& cells = part.rows.emplace_back();
    for (const std::size_t c : columns) cells.push_back(row[c]);
  }
  return part;
}

// The grid, or parts of its columns that fit. Each begins with the first columns of words: the rows' names.
std::vector<Grid> parts_that_fit(const Grid& grid, std::size_t width) {
  const auto fits = [&](const Grid& part) { return width_of_lines(fitted(part, width)) <= width; };
  std::vector<std::size_t> names;
  while (names.size() < grid.columns.size() && grid.columns[names.size()].left) names.push_back(names.size());
  if (names.empty()) names = {0};
  if (grid.columns.size() < names.size() + 2 || fits(grid)) return {grid};
  std::vector<Grid> parts;
  std::vector<std::size_t> columns = names;
  for (std::size_t c = names.size(); c < grid.columns.size(); ++c) {
    columns.push_back(c);
    if (columns.size() == names.size() + 1 || fits(columns_of(grid, columns))) continue;
    columns.pop_back();
    parts.push_back(columns_of(grid, columns));
    parts.back().caption = parts.size() > 1 ? "" : grid.caption;
    columns = names;
    columns.push_back(c);
  }
  parts.push_back(columns_of(grid, columns));
  if (parts.size() > 1) parts.back().caption.clear();
  return parts;
}

std::string render_part(const Grid& grid, Style style) {
  const bool markdown = style == Style::markdown;
  FittedGrid fit = fitted(grid, markdown ? std::numeric_limits<std::size_t>::max() : line_width());
  const std::string begin = markdown ? "| " : std::string(fit.gap, ' '),
                    between = markdown ? " | " : std::string(fit.gap, ' '), end = markdown ? " |" : "";
  std::vector<std::vector<std::string>>& lines = fit.rows;
  std::vector<std::size_t> widths(grid.columns.size(), 3);
  for (auto& line : lines)
    for (std::size_t c = 0; c < line.size(); ++c) {
      if (markdown) line[c] = escaped(std::move(line[c]));
      widths[c] = std::max(widths[c], width_of(line[c]));
    }

  std::vector<std::string> rule;
  for (std::size_t c = 0; c < widths.size(); ++c) {
    rule.emplace_back(widths[c], '-');
    if (markdown && !grid.columns[c].left) rule.back().back() = ':';
  }
  lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(fit.header_rows), rule);

  std::string text = grid.caption;
  if (!text.empty()) text = markdown ? text + "\n\n" : wrapped(text, line_width()) + "\n";
  for (const auto& line : lines) {
    std::string row = begin;
    for (std::size_t c = 0; c < line.size(); ++c)
      row += fmt::format("{}{}", c ? between : "", pad(line[c], widths[c], grid.columns[c].left));
    row += end;
    row.erase(row.find_last_not_of(' ') + 1);
    text += row + "\n";
  }
  return text;
}

}  // namespace

std::string render(const Grid& grid, Style style) {
  if (style == Style::markdown) return render_part(grid, style);
  std::string text;
  for (const Grid& part : parts_that_fit(grid, line_width()))
    text += (text.empty() ? "" : "\n") + render_part(part, style);
  return text;
}

std::string figure(double value) {
  if (std::isnan(value)) return "-";
  const double size = std::abs(value);
  if (size >= 1000 || (size >= 10 && value == std::floor(value))) return fmt::format("{:.0f}", value);
  return fmt::format("{:.4g}", value);
}

std::string times(double ratio) {
  if (std::isnan(ratio)) return "-";
  return ratio >= 100 ? fmt::format("{:.0f}x", ratio) : fmt::format("{:.2f}x", ratio);
}

}  // namespace tallcache
