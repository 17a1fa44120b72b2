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

}  // namespace

std::string render(const Grid& grid, Style style) {
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
