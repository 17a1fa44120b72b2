#include "bench/show/fit.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <numeric>
#include <span>
#include <sstream>

namespace tallcache {
namespace {

using Rows = std::vector<std::vector<std::string>>;

constexpr std::size_t least_width = 40, width_of_file = 100;
constexpr std::size_t whole_width = 9;  // of a figure with its unit, as "155.8 us", which is not broken

std::size_t longest_word(std::string_view text) {
  std::size_t longest = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    longest = std::max(longest, width_of(text.substr(at, end - at)));
    at = end + 1;
  }
  return longest;
}

// Takes columns from the widest until all fit, or until each is as narrow as its longest word.
void shrink(std::vector<std::size_t>& widths, std::span<const std::size_t> least, std::size_t width,
            std::size_t gap) {
  std::size_t total = std::accumulate(widths.begin(), widths.end(), gap * widths.size());
  while (total > width) {
    std::size_t widest = widths.size();
    for (std::size_t c = 0; c < widths.size(); ++c)
      if (widths[c] > least[c] && (widest == widths.size() || widths[c] > widths[widest])) widest = c;
    if (widest == widths.size()) return;
    --widths[widest], --total;
  }
}

// Adds `row` with its cells broken. Returns the number of its lines.
std::size_t add_broken(Rows& rows, const std::vector<std::string>& row, std::span<const std::size_t> widths) {
  std::vector<std::vector<std::string>> cells;
  std::size_t height = 1;
  for (std::size_t c = 0; c < row.size(); ++c) {
    cells.push_back(lines_of(row[c], widths[c]));
    height = std::max(height, cells.back().size());
  }
  for (std::size_t line = 0; line < height; ++line) {
    std::vector<std::string>& part = rows.emplace_back();
    for (const auto& cell : cells) part.push_back(line < cell.size() ? cell[line] : "");
  }
  return height;
}

}  // namespace

std::size_t line_width() {
  std::size_t width = 0;
  if (const char* columns = std::getenv("COLUMNS")) {
    const std::string_view text = columns;
    std::from_chars(text.data(), text.data() + text.size(), width);
  }
  winsize size{};
  if (width == 0 && isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
    width = size.ws_col;
  return width == 0 ? width_of_file : std::max(width, least_width);
}

std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; }));
}

std::vector<std::string> lines_of(std::string_view text, std::size_t width) {
  std::vector<std::string> lines(1);
  std::string_view spaces;  // before the word, which a break swallows
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t word = std::min(text.find_first_not_of(' ', at), text.size());
    const std::size_t end = std::min(text.find(' ', word), text.size());
    spaces = text.substr(at, word - at);
    std::string& line = lines.back();
    const std::string_view next = text.substr(word, end - word);
    if (line.empty() || width_of(line) + spaces.size() + width_of(next) <= width)
      line.append(spaces).append(next);
    else if (!next.empty())
      lines.emplace_back(next);
    at = end;
  }
  return lines;
}

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent) {
  std::string all;
  for (const std::string& line : lines_of(text, width - std::min(width, indent)))
    all += (all.empty() ? "" : "\n" + std::string(indent, ' ')) + line;
  return all;
}

std::string wrapped_lines(const std::string& text, std::size_t width) {
  std::istringstream lines(text);
  std::string all;
  for (std::string line; std::getline(lines, line);) all += wrapped(line, width) + "\n";
  return all;
}

std::string clipped(std::string_view text, std::size_t width) {
  if (width_of(text) <= width) return std::string(text);
  std::size_t end = 0;
  for (std::size_t columns = 0; end < text.size(); ++end)
    if ((text[end] & 0xc0) != 0x80 && ++columns + 3 > width) break;
  return std::string(text.substr(0, end)) + "...";
}

FittedGrid fitted(const Grid& grid, std::size_t width) {
  std::vector<std::string> titles;
  for (const Column& column : grid.columns) titles.push_back(column.title);
  std::vector<std::size_t> widths(titles.size(), 3), least(titles.size(), 3), broken = least;
  const auto note = [&](const std::vector<std::string>& row, std::size_t whole) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::size_t wide = width_of(row[c]), word = longest_word(row[c]);
      widths[c] = std::max(widths[c], wide);
      least[c] = std::max(least[c], wide <= whole ? wide : word);
      broken[c] = std::max(broken[c], word);
    }
  };
  note(titles, 0);
  for (const auto& row : grid.rows) note(row, whole_width);
  const auto narrowest = [&](std::size_t gap) {
    return std::accumulate(least.begin(), least.end(), gap * least.size());
  };
  if (narrowest(1) > width) least = broken;  // figures are broken before a table is too wide
  FittedGrid result{.rows = {}, .header_rows = 0, .gap = narrowest(2) > width ? 1u : 2u};
  if (!widths.empty()) shrink(widths, least, width, result.gap);
  result.header_rows = add_broken(result.rows, titles, widths);
  for (const auto& row : grid.rows) add_broken(result.rows, row, widths);
  return result;
}

}  // namespace tallcache
