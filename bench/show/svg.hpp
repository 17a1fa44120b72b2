// The elements of a drawing. Classes give them colours, dashes and fonts: page/chart.css.
#pragma once

#include <string>
#include <string_view>

#include "bench/show/blocks.hpp"

namespace tallcache::svg {

inline constexpr double font_px = 12, title_px = 14, line_px = 16;

std::string text(double x, double y, std::string_view classes, std::string_view words);
std::string line(double x1, double y1, double x2, double y2, std::string_view classes);
/// A family's marker; `tip` names it under a pointer.
std::string marker(Family, double x, double y, const std::string& tip = "");
/// A title in as many lines as it needs, from y = 0.
std::string title(const std::string& words, double width, double& height);
/// The class of a family.
std::string_view name_of(Family);
/// The root: `summary` is read out in place of the drawing.
std::string root(double width, double height, const std::string& summary, const std::string& elements);

}  // namespace tallcache::svg
