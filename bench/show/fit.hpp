// Text that fits the terminal: paragraphs broken between words, grids with their longest cells broken.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "bench/show/grid.hpp"

namespace tallcache {

/// The columns of standard output: COLUMNS, else the terminal's, else 100; at least 40.
std::size_t line_width();

/// The columns that `text` takes: continuation bytes of UTF-8 take none.
std::size_t width_of(std::string_view text);

/// The lines of `text`, each of at most `width` columns but for a longer word.
std::vector<std::string> lines_of(std::string_view text, std::size_t width);

/// lines_of() as one text; all lines but the first begin with `indent` spaces.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent = 0);

/// wrapped() of each line of the text.
std::string wrapped_lines(const std::string& text, std::size_t width);

/// The first `width` columns of `text`; what is cut off is "...".
std::string clipped(std::string_view text, std::size_t width);

/// The grid with cells broken into several rows, so that its lines have at most `width` columns where its
/// longest words let them. A title of several lines is the first rows' part: `header_rows` tells how many.
struct FittedGrid {
  std::vector<std::vector<std::string>> rows;  ///< the titles first
  std::size_t header_rows;
  std::size_t gap;  ///< before each column: 2, or 1 where that helps
};
FittedGrid fitted(const Grid&, std::size_t width);

}  // namespace tallcache
