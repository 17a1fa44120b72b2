// What the plots of the program share: gnuplot draws them, as SVG.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace tallcache {

/// Terminal, borders, key and logarithmic axes. Names hold underscores, which the enhanced mode would take
/// for subscripts: it is off.
inline constexpr std::string_view plot_style =
    "set terminal svg size 1000,640 noenhanced font 'Helvetica,14' background '#ffffff'\n"
    "set border 3 lc rgb '#808080'\nset tics nomirror tc rgb '#303030'\n"
    "set grid ytics lc rgb '#e4e4e4' lw 1\n"
    "set key outside right center samplen 2 spacing 1.15 noopaque\n"
    "set logscale x 2\nset logscale y 10\nset format y '%.0s%c'\n"
    "set lmargin 11\nset tmargin 4\n";

/// Colours that remain apart for most colour-blind readers (Okabe and Ito), then darker ones.
inline constexpr std::array plot_colours{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00",
                                         "#56b4e9", "#000000", "#8c564b", "#7b4ab5", "#6b8e23"};

/// 'text' as gnuplot reads it.
std::string quoted(const std::string& text);

/// Throws Error when gnuplot is not installed.
void require_gnuplot();

/// Has gnuplot run `script`, which sets `file` as its output. Throws Error when it fails.
void draw(const std::string& script, const std::string& file);

}  // namespace tallcache
