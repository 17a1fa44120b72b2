// The report of a document of `tallcache reproduce`: its tables, made from its records.
#include <fmt/format.h>

#include <utility>

#include "bench/show/charts.hpp"
#include "bench/show/format.hpp"
#include "bench/show/html.hpp"
#include "bench/show/kind.hpp"
#include "bench/studies/reproduce/results_file.hpp"
#include "bench/studies/reproduce/summary.hpp"
#include "bench/tables/sentences.hpp"

namespace tallcache {
namespace {

std::string full(const Document& document) {
  std::string text;
  for (const Table* table : tables_of(document.plan))
    text += (text.empty() ? "" : "\n") + render(*table, report_of(*table, document), Style::markdown);
  return text;
}

std::string text_of(const Verdicts& verdicts) {
  return fmt::format("Of the slides' findings that these measurements decide, {} of {} hold here.",
                     verdicts.held, verdicts.decided);
}

// One line for each ratio, the slide's beside this machine's, and the number of findings that hold.
std::string summary(const Document& document) {
  Grid grid{.columns = {{"table", true}, {"size", true}, {"ratio", true}, {"slide"}, {"here"}}};
  Verdicts verdicts;
  for (const Table* table : tables_of(document.plan)) {
    const Report report = report_of(*table, document);
    std::string id(table->id);
    for (const Ratio& ratio : report.ratios) {
      const auto shown = ratio.quotient ? times : figure;
      grid.rows.push_back(
          {std::exchange(id, ""), ratio.where, ratio.what, shown(ratio.slide), shown(ratio.here)});
    }
    verdicts.count(report);
  }
  return render(grid, Style::markdown) + "\n" + text_of(verdicts) + "\n";
}

// What the link below a table's chart says.
std::string link_text(const Report& report) {
  Verdicts verdicts;
  verdicts.count(report);
  if (verdicts.decided == 0) return "Table";
  return fmt::format("Table; {} of {} hold{}", verdicts.held, verdicts.decided,
                     verdicts.decided == 1 ? "s" : "");
}

// The ratios of a table that has no chart of its own, those of one unit apart from the others.
void add_ratios(Report& report) {
  if (!report.charts.empty() || !report.rankings.empty()) return;
  for (const bool quotient : {true, false}) {
    Ranking ratios{.title = "", .x = quotient ? "ratio" : "", .other_name = "slide"};
    if (quotient) ratios.reference = 1;
    for (const Ratio& ratio : report.ratios)
      if (ratio.quotient == quotient && ratio.here > 0)
        ratios.items.push_back({.name = fmt::format("{}, {}", ratio.what, ratio.where),
                                .family = Family::ours,
                                .value = ratio.here,
                                .other = ratio.slide});
    if (!ratios.items.empty()) report.rankings.push_back(std::move(ratios));
  }
}

Statement statement_of(const Finding& finding, std::string_view before = "") {
  return {fmt::format("{}{}", before, finding.text), std::string(verdict_of(finding)), finding.figures,
          finding.why};
}

// The grids, the notes and the findings, folded; the drawings link to them.
Fold table_of(const Table& table, const Report& report, const std::string& anchor) {
  Fold fold{fmt::format("{}: {}", table.id, table.title), anchor, {Paragraph{slide_line(table)}}};
  for (const Grid& grid : report.grids) fold.blocks.emplace_back(grid);
  for (const std::string& note : report.notes) fold.blocks.emplace_back(Paragraph{note});
  for (const Finding& finding : report.findings) fold.blocks.emplace_back(statement_of(finding));
  return fold;
}

template <class Drawing>
void add_drawing(Blocks& blocks, Drawing drawing, const Table& table, const Link& link) {
  drawing.title =
      fmt::format("{}: {}", table.id, drawing.title.empty() ? std::string(table.title) : drawing.title);
  drawing.link = link;
  blocks.emplace_back(std::move(drawing));
}

// What fails first, then the charts of all tables, each with a link to its table, and the tables.
Blocks page(const Document& document) {
  Blocks drawings, tables, failing;
  for (const Table* table : tables_of(document.plan)) {
    Report report = report_of(*table, document);
    add_ratios(report);
    const std::string anchor = fmt::format("{}-{}", table->id, file_name(document.context.at("date")));
    const Link link{link_text(report), anchor};
    for (Chart& chart : report.charts) add_drawing(drawings, std::move(chart), *table, link);
    for (Ranking& ranking : report.rankings) add_drawing(drawings, std::move(ranking), *table, link);
    for (const Finding& finding : report.findings)
      if (!finding.holds.value_or(true))
        failing.emplace_back(statement_of(finding, fmt::format("{}: ", table->id)));
    tables.emplace_back(table_of(*table, report, anchor));
  }
  Blocks blocks;
  if (!failing.empty()) {
    const std::size_t number = failing.size();
    blocks.emplace_back(Fold{fmt::format("{} finding{} do{} not hold here", number, number == 1 ? "" : "s",
                                         number == 1 ? "es" : ""),
                             "", std::move(failing)});
  }
  blocks.insert(blocks.end(), std::make_move_iterator(drawings.begin()),
                std::make_move_iterator(drawings.end()));
  blocks.insert(blocks.end(), std::make_move_iterator(tables.begin()), std::make_move_iterator(tables.end()));
  return blocks;
}

std::string headline(const Document& document) {
  Verdicts verdicts;
  for (const Table* table : tables_of(document.plan)) verdicts.count(report_of(*table, document));
  return text_of(verdicts);
}

std::vector<Chart> charts(const Document& document) {
  std::vector<Chart> list;
  for (const Table* table : tables_of(document.plan))
    for (Chart& chart : report_of(*table, document).charts) {
      chart.title = chart.title.empty() ? std::string(table->title) : chart.title;
      list.push_back(std::move(chart));
    }
  if (list.empty()) throw Error("no table here has a chart");
  return list;
}

}  // namespace

extern const ReportKind reproduce_report{.kind = "reproduce",
                                         .title = "The slides' tables",
                                         .full = full,
                                         .summary = summary,
                                         .by_record = true,
                                         .charts = charts,
                                         .page = page,
                                         .headline = headline};

}  // namespace tallcache
