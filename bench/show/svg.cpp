#include "bench/show/svg.hpp"

#include <fmt/format.h>

#include <array>

#include "bench/show/axis.hpp"
#include "bench/show/drawing.hpp"

namespace tallcache {

std::string as_markup(std::string_view text) {
  std::string result;
  for (const char c : text) switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  return result;
}

namespace svg {

std::string_view name_of(Family family) {
  static constexpr std::array<std::string_view, 4> names{"textbook", "ours", "library", "theory"};
  return names[static_cast<std::size_t>(family)];
}

std::string text(double x, double y, std::string_view classes, std::string_view words) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"{}\">{}</text>", x, y, classes,
                     as_markup(words));
}

std::string line(double x1, double y1, double x2, double y2, std::string_view classes) {
  return fmt::format("<path class=\"{}\" d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\"/>", classes, x1, y1, x2, y2);
}

std::string marker(Family family, double x, double y, const std::string& tip) {
  static constexpr std::array<std::string_view, 4> forms{
      "m-3.4 0a3.4 3.4 0 1 0 6.8 0a3.4 3.4 0 1 0 -6.8 0z",  // a circle, hollow by its style
      "m-3.4 0a3.4 3.4 0 1 0 6.8 0a3.4 3.4 0 1 0 -6.8 0z",  // a disc
      "m0 -4.6l4.6 4.6l-4.6 4.6l-4.6 -4.6z",                // a diamond
      "m-3 -3l6 6m0 -6l-6 6"};                              // a cross
  return fmt::format("<path class=\"dot\" d=\"M{:.1f} {:.1f}{}\">{}</path>", x, y,
                     forms[static_cast<std::size_t>(family)],
                     tip.empty() ? "" : "<title>" + as_markup(tip) + "</title>");
}

std::string title(const std::string& words, double width, double& height) {
  std::string drawn;
  height = 0;
  for (const std::string& one : wrapped_text(words, width * 0.84, title_px))  // bold is wider
    drawn += text(0, height += title_px + 4, "title", one);
  return drawn;
}

std::string root(double width, double height, const std::string& summary, const std::string& elements) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" role=\"img\" "
      "viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" height=\"{1:.0f}\" aria-label=\"{2}\">{3}</svg>\n",
      width, height, as_markup(summary), elements);
}

}  // namespace svg
}  // namespace tallcache
