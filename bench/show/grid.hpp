// A table of text cells, printed on a terminal or as Markdown from the one structure.
#pragma once

#include <string>
#include <vector>

namespace tallcache {

struct Column {
  std::string title;
  bool left = false;  ///< words are aligned left, figures right
};

struct Grid {
  std::string caption;
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows{};  ///< each row has as many cells as there are columns
  bool unfolded = false;                         ///< a page shows it, not its caption alone
};

enum class Style { terminal, markdown };

/// On a terminal its lines fit line_width() (bench/show/fit.hpp): columns that are too many go on below.
std::string render(const Grid&, Style);

/// A figure with four significant digits; "-" for NaN.
std::string figure(double value);
/// "6.62x"; "-" for NaN.
std::string times(double ratio);

}  // namespace tallcache
