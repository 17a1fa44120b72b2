// tallcache report: results documents of every kind as Markdown or as one page of HTML, the READMEs' tables
// generated from them, their plots, and a run against an older one.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cmath>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>

#include "bench/program/commands.hpp"
#include "bench/report/against.hpp"
#include "bench/report/device_state.hpp"
#include "bench/report/kind.hpp"

namespace tallcache {
namespace {

struct ReportOptions {
  std::vector<std::string> files;
  std::string readme, svg, html, against;
  bool check = false;
  double fail_above = no_value;
};

// The lines of a README between which the tables of one kind stand.
std::pair<std::string, std::string> marks(std::string_view kind) {
  return {fmt::format("<!-- {}:begin -->", kind), fmt::format("<!-- {}:end -->", kind)};
}

std::string read_text(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  if (!(text << file.rdbuf())) throw Error("cannot read " + path);
  return text.str();
}

void update_readme(const ReportOptions& options, const std::string& kind, const std::string& generated) {
  const std::string text = read_text(options.readme);
  const auto [begin_mark, end_mark] = marks(kind);
  const auto begin = text.find(begin_mark), end = text.find(end_mark);
  if (begin == text.npos || end == text.npos || end < begin)
    throw Error(fmt::format("{} has no lines '{}' and '{}'", options.readme, begin_mark, end_mark));
  const std::string wanted =
      fmt::format("{}\n{}{}", text.substr(0, begin + begin_mark.size()), generated, text.substr(end));
  if (wanted == text) return;
  if (options.check)
    throw Error(fmt::format("{} differs from what {} generates; run tallcache report {} --readme {}",
                            options.readme, fmt::join(options.files, ", "), fmt::join(options.files, " "),
                            options.readme));
  write_text(options.readme, wanted);
}

struct Reports {
  std::string text;
  std::map<std::string, std::string> summaries;  ///< by kind
};

void add(Reports& reports, const ReportOptions& options, const Document& document) {
  const ReportKind& kind = find_kind(document.kind);
  if (!options.svg.empty()) {
    if (!kind.plot) throw Error(fmt::format("a document of tallcache {} has nothing to plot", kind.kind));
    kind.plot(document, options.svg);
  }
  if (!options.readme.empty()) {
    if (!kind.summary)
      throw Error(fmt::format("a document of tallcache {} has no table for a README", kind.kind));
    std::string& summary = reports.summaries[document.kind];
    summary += (summary.empty() ? "" : "\n") + kind.summary(document);
  } else if (options.svg.empty()) {
    const std::string states = device_state_text(document);
    reports.text += fmt::format("{}# {}\n\nMeasured on {}.\n\n{}{}{}", reports.text.empty() ? "" : "\n",
                                machine_line(document), document.context.at("date").get<std::string>(),
                                states, states.empty() ? "" : "\n", kind.full(document));
  }
}

// Calls `use` with each document. Throws Error, which names the file, when one is not what its kind says.
template <class Use>
void for_each_document(const std::vector<std::string>& files, Use&& use) {
  for (const std::string& path : files) {
    const Document document = read_document(path);
    try {
      use(document);
    } catch (const Json::exception& error) {
      const std::string what = error.what();
      throw Error(fmt::format("{} is no results document of the kind '{}': {}", path, document.kind,
                              what.substr(what.find("] ") + 2)));
    } catch (const Error& error) {
      throw Error(fmt::format("{}: {}", path, error.what()));
    }
  }
}

void write_page(const ReportOptions& options) {
  require_writable(options.html);
  Page page;
  for_each_document(options.files, [&](const Document& document) { page.add(document); });
  write_text(options.html, page.html());
}

// Prints what changed. Throws Error when a record is slower by more than is allowed.
void print_changes(const ReportOptions& options) {
  if (options.files.size() != 1) throw Error("--against takes one FILE, which is held against the older one");
  const Document now = read_document(options.files[0]), before = read_document(options.against);
  const RunComparison comparison = compare_runs(now, before);
  fmt::print("{}", against_text(comparison, now, before));
  if (std::isnan(options.fail_above)) return;
  const auto slower = slower_than(comparison, options.fail_above);
  if (!slower.empty())
    throw Error(
        fmt::format("{} of {} records take more than {} times as long as before; the worst {:.3f} times: {}",
                    slower.size(), comparison.changes.size(), options.fail_above, slower[0]->ratio,
                    run_name(*slower[0]->now)));
}

void report(const ReportOptions& options) {
  if (!options.against.empty()) return print_changes(options);
  if (options.check && options.readme.empty()) throw Error("--check needs --readme FILE");
  if (!options.html.empty()) return write_page(options);
  Reports reports;
  for_each_document(options.files, [&](const Document& document) { add(reports, options, document); });
  fmt::print("{}", reports.text);
  for (const auto& [kind, summary] : reports.summaries) update_readme(options, kind, summary);
}

}  // namespace

void add_report(CLI::App& app) {
  auto options = std::make_shared<ReportOptions>();
  CLI::App* command =
      app.add_subcommand("report", "Results documents as Markdown, or as the tables of a README");
  command->footer(
      "Example: tallcache report tallcache-results/reproduce.json > report.md\n"
      "         tallcache report results/machine/*.json --html page.html\n"
      "         tallcache report compare.json --against older.json --fail-above 1.1\n"
      "         tallcache report compare.json --svg compare\n"
      "         tallcache report results/machine/reproduce.json --readme README.md");
  command->add_option("FILE", options->files, "What the commands have written by --json, of any kind")
      ->required();
  const auto [begin, end] = marks("KIND");
  command->add_option(
      "--readme", options->readme,
      fmt::format("Put the tables of each kind that is among the files (reproduce, compare, steps, peers) "
                  "between {} and {} in this file",
                  begin, end));
  command->add_flag("--check", options->check, "Change nothing; fail when the README differs");
  command->add_option("--svg", options->svg, "Plot into PREFIX-<operation>.svg (gnuplot)")
      ->type_name("PREFIX");
  command
      ->add_option("--html", options->html,
                   "Write one page of HTML with charts and tables of all the files, which needs no network")
      ->type_name("PAGE")
      ->excludes("--readme", "--svg");
  CLI::Option* against =
      command
          ->add_option(
              "--against", options->against,
              "What is slower, faster, gone and new since this older document, normalised by what both "
              "measured of the machine")
          ->type_name("OLD")
          ->excludes("--readme", "--svg", "--html");
  command
      ->add_option("--fail-above", options->fail_above,
                   "Fail when a record takes more than RATIO times as long as before, as 1.1")
      ->type_name("RATIO")
      ->check(CLI::Range(1.0, 1e6))
      ->needs(against);
  command->callback([options] { report(*options); });
}

}  // namespace tallcache
