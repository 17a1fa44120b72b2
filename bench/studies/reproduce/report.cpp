// The report of a document of `tallcache reproduce`: its tables, made from its records.
#include <fmt/format.h>

#include <cctype>
#include <utility>

#include "bench/show/charts.hpp"
#include "bench/show/format.hpp"
#include "bench/show/gnuplot.hpp"
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

void add_table(Blocks& blocks, const Table& table, Report&& report) {
  blocks.emplace_back(Heading{fmt::format("{}: {}", table.id, table.title)});
  blocks.emplace_back(Paragraph{slide_line(table)});
  for (Grid& grid : report.grids) blocks.emplace_back(std::move(grid));
  for (Chart& chart : report.charts) blocks.emplace_back(std::move(chart));
  for (std::string& note : report.notes) blocks.emplace_back(Paragraph{std::move(note)});
  for (Finding& finding : report.findings)
    blocks.emplace_back(Statement{std::move(finding.text), std::string(verdict_of(finding)),
                                  std::move(finding.figures), std::move(finding.why)});
}

// The ratios of all tables in one chart, then table by table.
Blocks page(const Document& document) {
  Ranking ratios{.title = "Ratios of the slides' tables: the slide beside this machine",
                 .x = "ratio",
                 .other_name = "slide",
                 .reference = 1};
  Verdicts verdicts;
  Blocks tables;
  for (const Table* table : tables_of(document.plan)) {
    Report report = report_of(*table, document);
    verdicts.count(report);
    for (const Ratio& ratio : report.ratios)
      if (ratio.quotient && ratio.here > 0)
        ratios.items.push_back({.name = fmt::format("{}, {}", ratio.what, ratio.where),
                                .family = Family::ours,
                                .value = ratio.here,
                                .other = ratio.slide});
    add_table(tables, *table, std::move(report));
  }
  Blocks blocks{Paragraph{text_of(verdicts)}};
  if (!ratios.items.empty()) blocks.emplace_back(std::move(ratios));
  blocks.insert(blocks.end(), std::make_move_iterator(tables.begin()), std::make_move_iterator(tables.end()));
  return blocks;
}

// The name of a chart's file: "Latency over footprint" is latency-over-footprint.
std::string file_name(std::string title) {
  for (char& c : title)
    c = std::isalnum(static_cast<unsigned char>(c))
            ? static_cast<char>(std::tolower(static_cast<unsigned char>(c)))
            : '-';
  return title;
}

void plot(const Document& document, const std::string& prefix) {
  bool any = false;
  for (const Table* table : tables_of(document.plan))
    for (const Chart& chart : report_of(*table, document).charts) {
      draw(fmt::format("{}-{}.svg", prefix, file_name(chart.title)), chart_plot(chart));
      any = true;
    }
  if (!any) throw Error("no table here has a chart");
}

}  // namespace

extern const ReportKind reproduce_report{.kind = "reproduce",
                                         .title = "The slides' tables",
                                         .full = full,
                                         .summary = summary,
                                         .plot = plot,
                                         .page = page};

}  // namespace tallcache
