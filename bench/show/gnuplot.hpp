// Plots as SVG, drawn by gnuplot, all in one style.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace tallcache {

/// Throws Error when there is no gnuplot.
void require_gnuplot();

/// `text` as a gnuplot string.
std::string quoted(const std::string& text);

/// Draws what `script` plots into `file`, as write_text() writes. Throws Error when there is no gnuplot, when
/// it fails, or when the file cannot be written.
void draw(const std::string& file, const std::string& script);

/// Colours that most colour-blind readers can distinguish (Okabe and Ito), then darker ones.
inline constexpr std::array plot_colours{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00",
                                         "#56b4e9", "#000000", "#8c564b", "#7b4ab5", "#6b8e23"};

/// Makes both axes logarithmic: sizes in powers of two, with margins for the labels.
inline constexpr std::string_view logarithmic_axes =
    "set logscale x 2\nset logscale y 10\nset format y '%.0s%c'\nset lmargin 11\nset tmargin 4\n";

}  // namespace tallcache
