// tallcache report: results documents of every kind as Markdown, the READMEs' tables generated from them, and
// their plots.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <fstream>
#include <map>
#include <memory>
#include <sstream>

#include "bench/program/commands.hpp"
#include "bench/report/device_state.hpp"
#include "bench/report/kind.hpp"

namespace tallcache {
namespace {

struct ReportOptions {
  std::vector<std::string> files;
  std::string readme, svg;
  bool check = false;
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

void report(const ReportOptions& options) {
  if (options.check && options.readme.empty()) throw Error("--check needs --readme FILE");
  Reports reports;
  for (const std::string& path : options.files) {
    const Document document = read_document(path);
    try {
      add(reports, options, document);
    } catch (const Json::exception& error) {
      const std::string what = error.what();
      throw Error(fmt::format("{} is no results document of the kind '{}': {}", path, document.kind,
                              what.substr(what.find("] ") + 2)));
    } catch (const Error& error) {
      throw Error(fmt::format("{}: {}", path, error.what()));
    }
  }
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
  command->callback([options] { report(*options); });
}

}  // namespace tallcache
