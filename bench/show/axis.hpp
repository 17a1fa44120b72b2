// What a drawing needs to know of its text and its scales.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tallcache {

/// The width of a text in pixels, or a little more: of the fonts that chart.css names.
double text_width(std::string_view text, double font_px);

/// `text` in lines of at most `width` pixels, broken between words; a longer word is a line of its own.
std::vector<std::string> wrapped_text(const std::string& text, double width, double font_px);

/// A logarithmic scale: values from `low` to `high` stand at the pixels from `first` to `last`.
struct LogAxis {
  double low, high, first = 0, last = 1;

  double at(double value) const;
  bool holds(double value) const { return value >= low * 0.999 && value <= high * 1.001; }
};

/// A scale that holds all positive `values`, with a margin of `share` of its length at either end.
LogAxis axis_over(std::span<const double> values, double share);

/// How a scale's values are written.
enum class Unit {
  number,   ///< 0.5, 100, 10k, 1M
  seconds,  ///< 10 ns, 1 ms
  bytes,    ///< powers of two: 512, 4K, 1M
};
/// The unit of an axis by its title, such as "Z, bytes of cache" or "time, s".
Unit unit_of_axis(std::string_view title);
std::string tick_text(double value, Unit);

/// The values `measured` where they are whole, such as sizes, and few enough; else 1, 2, 5, powers of ten, or
/// some of these, or powers of two for bytes. Neighbours' texts do not touch: `along_text` where they stand
/// side by side, not one above the other.
std::vector<double> ticks_of(const LogAxis&, Unit, bool along_text, std::span<const double> measured = {});

}  // namespace tallcache
