#include "bench/show/axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>

namespace tallcache {
namespace {

// Thousandths of the font's size, from the blank to the tilde: the published metrics of Helvetica, but
// for signs such as = those of DejaVu Sans, which stands in for it on many systems and is wider.
constexpr std::array<short, 95> widths{
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 722, 278, 333,  278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 722, 722, 722, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667,  611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278,  556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500,  500, 334, 260, 334, 722};

constexpr double tick_px = 12, gap = 10;

std::vector<double> decimal(const LogAxis& axis, std::initializer_list<int> factors, int step) {
  std::vector<double> ticks;
  const int from = static_cast<int>(std::floor(std::log10(axis.low))),
            to = static_cast<int>(std::ceil(std::log10(axis.high)));
  for (int power = from; power <= to; ++power)
    for (const int factor : factors)
      if (const double value = factor * std::pow(10.0, power); power % step == 0 && axis.holds(value))
        ticks.push_back(value);
  return ticks;
}

std::vector<double> binary(const LogAxis& axis, int step) {
  std::vector<double> ticks;
  for (int power = 0; power < 60; power += step)
    if (const double value = std::exp2(power); axis.holds(value)) ticks.push_back(value);
  return ticks;
}

bool has_room(const LogAxis& axis, Unit unit, bool along_text, const std::vector<double>& ticks) {
  for (std::size_t i = 1; i < ticks.size(); ++i) {
    const auto half = [&](double value) {
      return along_text ? text_width(tick_text(value, unit), tick_px) / 2 + gap / 2 : gap;
    };
    if (std::abs(axis.at(ticks[i]) - axis.at(ticks[i - 1])) < half(ticks[i]) + half(ticks[i - 1]))
      return false;
  }
  return !ticks.empty();
}

}  // namespace

double text_width(std::string_view text, double font_px) {
  double thousandths = 0;
  for (const char c : text)
    thousandths += c >= ' ' && c <= '~' ? widths[static_cast<std::size_t>(c - ' ')] : 600;
  constexpr double stand_in = 1.16;
  return thousandths / 1000 * font_px * stand_in;
}

std::vector<std::string> wrapped_text(const std::string& text, double width, double font_px) {
  std::vector<std::string> lines;
  std::istringstream words(text);
  for (std::string word; words >> word;)
    if (lines.empty() || text_width(lines.back() + " " + word, font_px) > width)
      lines.push_back(word);
    else
      lines.back() += " " + word;
  return lines;
}

double LogAxis::at(double value) const {
  return first + (last - first) * std::log(value / low) / std::log(high / low);
}

LogAxis axis_over(std::span<const double> values, double share) {
  double low = 0, high = 0;
  for (const double value : values)
    if (value > 0 && std::isfinite(value)) {
      low = low > 0 ? std::min(low, value) : value;
      high = std::max(high, value);
    }
  if (!(low > 0)) low = high = 1;
  const double factor = std::max(std::pow(high / low, share), 1.15);
  return {.low = low / factor, .high = high * factor};
}

Unit unit_of_axis(std::string_view title) {
  if (title == "s" || title.ends_with(", s")) return Unit::seconds;
  return title.find("bytes") != title.npos && title.find(" per ") == title.npos ? Unit::bytes : Unit::number;
}

std::string tick_text(double value, Unit unit) {
  struct Prefix {
    double size;
    const char* name;
  };
  static constexpr std::array seconds{Prefix{1, "s"}, Prefix{1e-3, "ms"}, Prefix{1e-6, "us"},
                                      Prefix{1e-9, "ns"}};
  static constexpr std::array decimal{Prefix{1e12, "T"}, Prefix{1e9, "G"}, Prefix{1e6, "M"},
                                      Prefix{1e3, "k"}};
  static constexpr std::array binary{Prefix{0x1p40, "T"}, Prefix{0x1p30, "G"}, Prefix{0x1p20, "M"},
                                     Prefix{0x1p10, "K"}};
  const auto with = [&](const auto& prefixes, const char* blank) {
    for (const Prefix& prefix : prefixes)
      if (value >= prefix.size * 0.9999)
        return fmt::format("{:.{}g}{}{}", value / prefix.size, value < 1e4 ? 4 : 3, blank, prefix.name);
    return fmt::format("{:.3g}", value);
  };
  if (unit == Unit::seconds) return with(seconds, " ");
  if (unit == Unit::bytes) return with(binary, "");
  // A size such as 1024 is written whole.
  if (value < 1e4 && value >= 1e3 && value == std::floor(value) && std::fmod(value, 100) != 0)
    return fmt::format("{:.0f}", value);
  return with(decimal, "");
}

std::vector<double> ticks_of(const LogAxis& axis, Unit unit, bool along_text,
                             std::span<const double> measured) {
  std::vector<double> own(measured.begin(), measured.end());
  std::ranges::sort(own);
  own.erase(std::unique(own.begin(), own.end()), own.end());
  if (!std::ranges::all_of(own, [](double value) { return value == std::floor(value); })) own.clear();
  std::vector<std::vector<double>> choices{std::move(own)};
  if (unit == Unit::bytes) {
    for (const int step : {1, 2, 3, 4, 5, 10}) choices.push_back(binary(axis, step));
  } else {
    choices.push_back(decimal(axis, {1, 2, 5}, 1));
    if (axis.high / axis.low < 100) choices.push_back(decimal(axis, {1, 3}, 1));
    if (axis.high / axis.low < 10) choices.push_back(decimal(axis, {1, 2, 3, 4, 5, 6, 7, 8, 9}, 1));
    for (const int step : {1, 2, 3, 4, 6}) choices.push_back(decimal(axis, {1}, step));
  }
  for (const std::vector<double>& ticks : choices)
    if (ticks.size() > 1 && has_room(axis, unit, along_text, ticks)) return ticks;
  for (const std::vector<double>& ticks : choices)
    if (has_room(axis, unit, along_text, ticks)) return ticks;
  // Not a power of ten in sight.
  const double middle = std::sqrt(axis.low * axis.high),
               unit_of_middle = std::pow(10.0, std::floor(std::log10(middle)) - 1);
  return {std::round(middle / unit_of_middle) * unit_of_middle};
}

}  // namespace tallcache
