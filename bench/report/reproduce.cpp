// The report of a document of `tallcache reproduce`: its tables, made from its records.
#include <fmt/format.h>

#include <utility>

#include "bench/report/kind.hpp"
#include "bench/report/results_file.hpp"
#include "bench/tables/table.hpp"

namespace tallcache {
namespace {

std::string full(const Document& document) {
  std::string text;
  for (const Table* table : tables_of(document.plan))
    text += (text.empty() ? "" : "\n") + render(*table, report_of(*table, document), Style::markdown);
  return text;
}

// One line for each ratio, the slide's beside this machine's, and the number of findings that hold.
std::string summary(const Document& document) {
  Grid grid{.caption = fmt::format("On {}:", machine_line(document)),
            .columns = {{"table", true}, {"size", true}, {"ratio", true}, {"slide"}, {"here"}},
            .rows = {}};
  int held = 0, decided = 0;
  for (const Table* table : tables_of(document.plan)) {
    const Report report = report_of(*table, document);
    std::string id(table->id);
    for (const Ratio& ratio : report.ratios) {
      const auto shown = ratio.quotient ? times : figure;
      grid.rows.push_back(
          {std::exchange(id, ""), ratio.where, ratio.what, shown(ratio.slide), shown(ratio.here)});
    }
    for (const Finding& finding : report.findings)
      if (finding.holds) ++decided, held += *finding.holds;
  }
  return render(grid, Style::markdown) +
         fmt::format("\nOf the slides' findings that these measurements decide, {} of {} hold here.\n", held,
                     decided);
}

}  // namespace

const ReportKind reproduce_report{.kind = "reproduce", .full = full, .summary = summary};

}  // namespace tallcache
