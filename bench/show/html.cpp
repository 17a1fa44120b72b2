#include "bench/show/html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "bench/show/drawing.hpp"
#include "bench/show/format.hpp"

namespace tallcache {
namespace {

// A cell that is not broken.
constexpr std::size_t short_cell = 24;

std::string table(const Grid& grid, bool with_caption) {
  std::string text = "<table>";
  if (with_caption && !grid.caption.empty())
    text += fmt::format("<caption>{}</caption>", as_markup(as_title(grid.caption)));
  text += "<thead><tr>";
  for (const Column& column : grid.columns)
    text += fmt::format("<th scope=\"col\"{}>{}</th>", column.left ? " class=\"l\"" : "",
                        as_markup(column.title));
  text += "</tr></thead><tbody>\n";
  for (const auto& row : grid.rows) {
    text += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) {
      const bool left = i < grid.columns.size() && grid.columns[i].left, whole = row[i].size() <= short_cell;
      text += fmt::format("<td{}>{}</td>",
                          left && whole ? " class=\"l s\""
                          : left        ? " class=\"l\""
                          : whole       ? ""
                                        : " class=\"w\"",
                          as_markup(row[i]));
    }
    text += "</tr>\n";
  }
  return text + "</tbody></table>";
}

std::string scrolled(const Grid& grid, bool with_caption) {
  return fmt::format("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{}\">{}</div>\n",
                     as_markup(grid.caption.empty() ? "table" : as_title(grid.caption)),
                     table(grid, with_caption));
}

// The figures of a chart, with the columns that any of its points has.
Grid figures_of(const Chart& chart) {
  Grid grid{.caption = chart.title, .columns = {{"", true}, {chart.x}, {chart.y}}};
  bool spread = false, named = false;
  for (const Series& series : chart.series)
    for (const ChartPoint& point : series.points) {
      spread = spread || std::isfinite(point.low) || std::isfinite(point.high);
      named = named || !point.name.empty();
    }
  if (spread) grid.columns.insert(grid.columns.end(), {{"from"}, {"to"}});
  if (named) grid.columns.push_back({"what", true});
  for (const Series& series : chart.series)
    for (const ChartPoint& point : series.points) {
      if (!std::isfinite(point.x) || !std::isfinite(point.y)) continue;
      auto& row = grid.rows.emplace_back(std::vector{series.name, figure(point.x), figure(point.y)});
      if (spread) row.insert(row.end(), {figure(point.low), figure(point.high)});
      if (named) row.push_back(point.name);
    }
  return grid;
}

Grid figures_of(const Ranking& ranking) {
  const bool compared = !ranking.other_name.empty();
  Grid grid{.caption = ranking.title, .columns = {{"", true}}};
  if (compared) grid.columns.push_back({ranking.other_name});
  grid.columns.insert(grid.columns.end(), {{ranking.value_name}, {"from"}, {"to"}, {"", true}});
  for (const Ranking::Item& item : ranking.items) {
    auto& row = grid.rows.emplace_back(std::vector{item.name});
    if (compared) row.push_back(figure(item.other));
    row.insert(row.end(), {figure(item.value), figure(item.low), figure(item.high), item.note});
  }
  return grid;
}

// One drawing, or one for wide windows and one for narrow ones.
std::string drawings(const Chart& chart) {
  if (!chart.half && !is_crowded(chart)) return drawn(chart, card_width);
  return fmt::format("<div class=\"on-wide\">{}</div><div class=\"on-narrow\">{}</div>",
                     drawn(chart, chart.half ? half_width : full_width), drawn(chart, card_width));
}
std::string drawings(const Ranking& ranking) { return drawn(ranking, card_width); }

bool is_wide(const Chart& chart) { return is_crowded(chart) && !chart.half; }
bool is_wide(const Ranking&) { return false; }

bool is_half(const Block& block) {
  const Chart* const chart = std::get_if<Chart>(&block);
  return chart && chart->half;
}

template <class Drawing>
std::string figure_html(const Drawing& drawing) {
  std::string text =
      fmt::format("<figure{} data-name=\"{}\">{}<figcaption>", is_wide(drawing) ? " class=\"wide\"" : "",
                  file_name(drawing.title), drawings(drawing));
  if (!drawing.link.text.empty())
    text += fmt::format("<a href=\"#{}\">{}</a>", drawing.link.anchor, as_markup(drawing.link.text));
  return text + folded("Figures", "", scrolled(figures_of(drawing), false)) + "</figcaption></figure>\n";
}

struct Html {
  bool in_fold;

  std::string operator()(const Heading& heading) const {
    return fmt::format("<h3>{}</h3>\n", as_markup(heading.text));
  }
  std::string operator()(const Paragraph& paragraph) const {
    return fmt::format("<p class=\"note\">{}</p>\n", as_markup(paragraph.text));
  }
  std::string operator()(const Listing& listing) const {
    return folded(listing.title, "", fmt::format("<pre tabindex=\"0\">{}</pre>", as_markup(listing.text)));
  }
  std::string operator()(const Statement& statement) const {
    const std::string_view kind = statement.verdict.starts_with("holds")      ? "holds"
                                  : statement.verdict.starts_with("does not") ? "fails"
                                                                              : "open";
    return fmt::format("<p class=\"statement {}\">{}: <b>{}</b>{}{}</p>\n", kind, as_markup(statement.text),
                       as_markup(statement.verdict),
                       statement.figures.empty() ? "" : "; " + as_markup(statement.figures),
                       statement.why.empty() ? "" : ". " + as_markup(statement.why));
  }
  std::string operator()(const Grid& grid) const {
    if (in_fold || grid.unfolded || grid.rows.empty()) return scrolled(grid, true);
    return folded(grid.caption.empty() ? "Table" : as_title(grid.caption), "", scrolled(grid, false));
  }
  std::string operator()(const Chart& chart) const { return figure_html(chart); }
  std::string operator()(const Ranking& ranking) const { return figure_html(ranking); }
  std::string operator()(const Fold& fold) const;
};

std::string html_of(const Blocks& blocks, bool in_fold) {
  std::string text;
  bool side_by_side = false;
  for (const Block& block : blocks) {
    if (is_drawing(block) != side_by_side) {
      text += side_by_side     ? "</div>\n"
              : is_half(block) ? "<div class=\"charts halves\">\n"
                               : "<div class=\"charts\">\n";
      side_by_side = !side_by_side;
    }
    text += std::visit(Html{in_fold}, block);
  }
  return text + (side_by_side ? "</div>\n" : "");
}

std::string Html::operator()(const Fold& fold) const {
  return folded(fold.title, fold.anchor, html_of(fold.blocks, true));
}

}  // namespace

bool is_drawing(const Block& block) {
  return std::holds_alternative<Chart>(block) || std::holds_alternative<Ranking>(block);
}

std::string html_of(const Blocks& blocks) { return html_of(blocks, false); }

std::string folded(std::string_view title, std::string_view anchor, std::string_view content) {
  return fmt::format("<details><summary>{}</summary><div{}>{}</div></details>\n", as_markup(title),
                     anchor.empty() ? "" : fmt::format(" id=\"{}\"", anchor), content);
}

std::string file_name(std::string title) {
  for (char& c : title)
    c = std::isalnum(static_cast<unsigned char>(c))
            ? static_cast<char>(std::tolower(static_cast<unsigned char>(c)))
            : '-';
  title.erase(std::unique(title.begin(), title.end(), [](char a, char b) { return a == '-' && b == '-'; }),
              title.end());
  return title;
}

}  // namespace tallcache
