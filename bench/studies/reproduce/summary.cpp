#include "bench/studies/reproduce/summary.hpp"

#include <fmt/color.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "bench/show/fit.hpp"
#include "bench/show/streams.hpp"
#include "bench/tables/sentences.hpp"

namespace tallcache {
namespace {

// With a line for each table, all of them fit a page of 60 lines. The tables and the page have the others.
constexpr std::size_t most_failures = 15;

struct Summarised {
  const Table* table;
  Report report;
  Verdicts verdicts{};

  bool measured() const { return verdicts.decided > 0 || !report.ratios.empty(); }
};

std::vector<Summarised> summarised(const Document& document, const std::vector<const Table*>& tables) {
  std::vector<Summarised> list;
  for (const Table* table : tables) {
    Summarised& one = list.emplace_back(Summarised{table, report_of(*table, document)});
    std::erase_if(one.report.ratios, [](const Ratio& ratio) { return !std::isfinite(ratio.here); });
    one.verdicts.count(one.report);
  }
  return list;
}

// The ratio of which the slide makes the most: the farthest from one.
const Ratio* main_ratio(const Report& report) {
  const auto distance = [](const Ratio& ratio) {
    return ratio.slide > 0 ? std::abs(std::log(ratio.slide)) : 0;
  };
  const auto found = std::ranges::max_element(report.ratios, {}, distance);
  return found == report.ratios.end() ? nullptr : &*found;
}

std::string verdict(const Verdicts& verdicts) {
  if (verdicts.decided == 0) return verdicts.undecided ? "undecided" : "-";
  return verdicts.held == verdicts.decided ? fmt::format("all {}", verdicts.held)
                                           : fmt::format("{} of {}", verdicts.held, verdicts.decided);
}

std::string table_lines(const std::vector<Summarised>& all) {
  constexpr std::size_t others = 54;  // columns of a line beside what the slide found
  const std::size_t room = std::max<std::size_t>(line_width(), others + 20) - others;
  Grid grid{.caption = "",
            .columns = {{"table", true}, {"what the slide found", true}, {"slide"}, {"here"}, {"hold"}}};
  for (const Summarised& one : all) {
    if (!one.measured()) continue;
    const Ratio* ratio = main_ratio(one.report);
    const auto shown = ratio && ratio->quotient ? times : figure;
    const std::string what =
        ratio ? fmt::format("{}, {}", ratio->what, ratio->where) : std::string(one.table->title);
    grid.rows.push_back({std::string(one.table->id), clipped(what, room), ratio ? shown(ratio->slide) : "",
                         ratio ? shown(ratio->here) : "", verdict(one.verdicts)});
  }
  return grid.rows.empty() ? "" : render(grid, Style::terminal) + "\n";
}

std::string emphasised(std::string_view text) {
  return is_coloured(Stream::output) ? fmt::format(fmt::emphasis::bold, "{}", text) : std::string(text);
}

// The findings that fail, a line each.
std::string failures(const std::vector<Summarised>& all) {
  std::string text;
  std::size_t count = 0;
  for (const Summarised& one : all)
    for (const Finding& finding : one.report.findings) {
      if (finding.holds.value_or(true) || ++count > most_failures) continue;
      const std::string figures = finding.figures.empty() ? "" : "; " + finding.figures;
      text += clipped(fmt::format("- {}: {}{}", one.table->id, finding.text, figures), line_width()) + "\n";
    }
  if (count > most_failures) text += fmt::format("- and {} more: --full-tables\n", count - most_failures);
  return text.empty() ? text : emphasised("Does not hold here:") + "\n" + text + "\n";
}

// Why nothing of the table was measured.
std::string reason_of(const Summarised& one, const Document& document) {
  const std::string no_gpu = document.context.value("gpus_absent", "");
  if (!no_gpu.empty() && one.table->id.find("-gpu") != std::string_view::npos) return no_gpu;
  return document.context.at("mode") == "full" ? "not measured" : "not at these sizes";
}

std::string left_out(const std::vector<Summarised>& all, const Document& document) {
  std::size_t reduced = 0;
  std::map<std::string, std::vector<std::string_view>> names;  // by the reason
  for (const Summarised& one : all) {
    if (!one.report.left_out.empty()) ++reduced;
    if (!one.measured()) names[reason_of(one, document)].push_back(one.table->id);
  }
  std::string text;
  if (reduced)
    text = fmt::format("the largest sizes of {} table{} (--full)", reduced, reduced == 1 ? "" : "s");
  for (const auto& [reason, tables] : names)
    text += fmt::format("{}{} ({})", text.empty() ? "" : "; ", fmt::join(tables, ", "), reason);
  return text.empty() ? text : wrapped("Left out: " + text, line_width(), 2) + "\n";
}

}  // namespace

void Verdicts::count(const Report& report) {
  for (const Finding& finding : report.findings)
    if (finding.holds)
      ++decided, held += *finding.holds;
    else
      ++undecided;
}

std::string overview(const Document& document, const std::vector<const Table*>& tables) {
  const std::vector<Summarised> all = summarised(document, tables);
  Verdicts verdicts;
  for (const Summarised& one : all) verdicts.count(one.report);
  std::string text = table_lines(all) + failures(all);
  text += emphasised(fmt::format("{} of {} hold", verdicts.held, verdicts.decided));
  if (verdicts.undecided) text += fmt::format("; {} are not decided here", verdicts.undecided);
  return text + ".\n" + left_out(all, document);
}

}  // namespace tallcache
