// Charts as SVG: the page and --svg have the same. Colours, dashes and fonts are page/chart.css's; what is
// computed here is where things stand.
#pragma once

#include <string>

#include "bench/show/blocks.hpp"

namespace tallcache {

/// Widths in pixels: of charts that stand side by side, or on a telephone; of two in a row; of one across a
/// page.
inline constexpr double card_width = 400, half_width = 500, full_width = 960;

/// Whether it has more lines than a card can keep apart.
bool is_crowded(const Chart&);

/// An <svg> of that width, as high as it has to be.
std::string drawn(const Chart&, double width);
std::string drawn(const Ranking&, double width);

/// `text` where markup stands.
std::string as_markup(std::string_view text);

bool has_points(const Chart&);

/// A file of its own, with its style. Throws Error when the chart has no points.
std::string svg_file(const Chart&);

}  // namespace tallcache
