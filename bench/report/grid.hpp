// A table of text cells, printed on a terminal or as Markdown from the one structure.
#pragma once

#include <string>
#include <vector>

namespace tallcache {

struct Column {
  std::string title;
  bool left = false;  ///< words stand left, figures right
};

struct Grid {
  std::string caption;
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;  ///< as many cells a row as columns
};

enum class Style { terminal, markdown };

std::string render(const Grid&, Style);

/// A figure in four significant digits; "-" when it is NaN.
std::string figure(double value);
/// "6.62x"; "-" when it is NaN.
std::string times(double ratio);

}  // namespace tallcache
