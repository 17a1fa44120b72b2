#include "bench/show/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "bench/results/device_state.hpp"
#include "bench/show/charts.hpp"
#include "bench/show/kind.hpp"
#include "bench/show/machine.hpp"
#include "bench/show/page_files.hpp"

namespace tallcache {
namespace {

Json figure_json(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json json_of(const ChartPoint& point) {
  Json json{{"x", point.x}, {"y", point.y}};
  if (std::isfinite(point.low) && std::isfinite(point.high))
    json["low"] = point.low, json["high"] = point.high;
  if (!point.name.empty()) json["name"] = point.name;
  if (!point.label.empty()) json["label"] = point.label;
  return json;
}

constexpr std::array families{"textbook", "ours", "library", "theory"};
constexpr std::array forms{"line", "points", "bound"};
std::string_view name_of(Family family) { return families[static_cast<std::size_t>(family)]; }

Json json_of(const Series& series) {
  Json points = Json::array();
  for (const ChartPoint& point : series.points)
    if (std::isfinite(point.x) && std::isfinite(point.y)) points.push_back(json_of(point));
  return {{"name", series.name},
          {"family", name_of(series.family)},
          {"drawn", forms[static_cast<std::size_t>(series.drawn)]},
          {"companion", series.companion},
          {"points", std::move(points)}};
}

Json json_of(const Heading& heading) { return {{"is", "heading"}, {"text", heading.text}}; }
Json json_of(const Paragraph& paragraph) { return {{"is", "paragraph"}, {"text", paragraph.text}}; }
Json json_of(const Listing& listing) {
  return {{"is", "listing"}, {"title", listing.title}, {"text", listing.text}};
}
Json json_of(const Statement& statement) {
  return {{"is", "statement"},
          {"text", statement.text},
          {"verdict", statement.verdict},
          {"figures", statement.figures},
          {"why", statement.why}};
}

Json json_of(const Grid& grid) {
  Json columns = Json::array();
  for (const Column& column : grid.columns)
    columns.push_back({{"title", column.title}, {"left", column.left}});
  return {{"is", "grid"}, {"caption", grid.caption}, {"columns", std::move(columns)}, {"rows", grid.rows}};
}

Json json_of(const Chart& chart) {
  Json series = Json::array(), marks = Json::array();
  for (const Series& one : chart.series) series.push_back(json_of(one));
  for (const Chart::Mark& mark : chart.marks) marks.push_back({{"name", mark.name}, {"x", mark.x}});
  return {{"is", "chart"}, {"title", chart.title},        {"x", chart.x},
          {"y", chart.y},  {"series", std::move(series)}, {"marks", std::move(marks)}};
}

Json json_of(const Ranking& ranking) {
  Json items = Json::array();
  for (const Ranking::Item& item : ranking.items)
    items.push_back({{"name", item.name},
                     {"family", name_of(item.family)},
                     {"value", item.value},
                     {"low", figure_json(item.low)},
                     {"high", figure_json(item.high)},
                     {"other", figure_json(item.other)},
                     {"note", item.note}});
  return {{"is", "ranking"},
          {"title", ranking.title},
          {"x", ranking.x},
          {"items", std::move(items)},
          {"value_name", ranking.value_name},
          {"other_name", ranking.other_name},
          {"reference", figure_json(ranking.reference)}};
}

Json json_of(const Blocks& blocks) {
  Json json = Json::array();
  for (const Block& block : blocks)
    json.push_back(std::visit([](const auto& one) { return json_of(one); }, block));
  return json;
}

// One document's part of a section.
Json article(const Document& document, const Blocks& blocks) {
  std::string of =
      fmt::format("{}, {}", machine_line(document), document.context.at("date").get<std::string>());
  if (const std::string state = device_state_text(document); !state.empty()) of += "\n" + state;
  return {{"of", std::move(of)}, {"blocks", json_of(blocks)}};
}

Blocks as_blocks(std::vector<Chart> charts) {
  return {std::make_move_iterator(charts.begin()), std::make_move_iterator(charts.end())};
}

// A section for which documents of every kind have something.
struct Overview {
  std::string_view key, title, before;  ///< before: the kind whose section follows
};
constexpr Overview roofline_section{"roofline", "Roofline", "errors"};

// A string of JSON may hold "</script>", which would end the block.
std::string in_script(const Json& data) {
  std::string text = data.dump(-1, ' ', false, Json::error_handler_t::replace);
  for (std::size_t at = 0; (at = text.find('<', at)) != std::string::npos;) text.replace(at, 1, "\\u003c");
  return text;
}

void fill(std::string& page, std::string_view mark, std::string_view text) {
  page.replace(page.find(mark), mark.size(), text);
}

}  // namespace

void Page::add(const Document& document, const ReportKind& kind) {
  const auto put = [&](const std::string& key, const Blocks& blocks) {
    if (!blocks.empty()) articles_[key].push_back(article(document, blocks));
  };
  // Of each machine once; a machine document tells the most.
  const bool of_machine = document.kind == "machine";
  if (of_machine || !document.limits.empty()) {
    const std::string cpu = document.context.at("cpu");
    Json& machine = machines_[cpu];
    if (machine.is_null() || of_machine) machine = article(document, machine_blocks(document));
  }
  if (!of_machine)
    put(document.kind, kind.page ? kind.page(document) : Blocks{Listing{document.kind, kind.full(document)}});
  put(std::string(roofline_section.key), as_blocks(rooflines(document)));
  put("errors", as_blocks(errors_beside_speeds(document)));
  documents_.rows.push_back({document.kind, machine_line(document), document.context.at("date"),
                             std::to_string(document.measurements.size())});
}

std::string Page::html() const {
  Json sections = Json::array();
  const auto section = [&](std::string_view title, const Json& articles) {
    sections.push_back({{"title", title}, {"articles", articles}});
  };
  section("Documents", Json::array({{{"of", ""}, {"blocks", json_of(Blocks{documents_})}}}));
  Json machines = Json::array();
  for (const auto& [cpu, machine] : machines_) machines.push_back(machine);
  if (!machines.empty()) section("Machine", machines);
  const auto section_of = [&](std::string_view key, std::string_view title) {
    if (const auto found = articles_.find(std::string(key)); found != articles_.end())
      section(title, found->second);
  };
  for (const ReportKind* kind : kinds_) {
    if (kind->kind == roofline_section.before) section_of(roofline_section.key, roofline_section.title);
    section_of(kind->kind, kind->title);
  }

  std::string page = page_html;
  fill(page, "/*style*/", page_css);
  fill(page, "/*licences*/", page_licences);
  fill(page, "/*d3*/", d3_min_js);
  fill(page, "/*plot*/", plot_umd_min_js);
  fill(page, "/*script*/", page_js);
  fill(page, "{/*data*/}", in_script({{"sections", std::move(sections)}}));
  return page;
}

}  // namespace tallcache
