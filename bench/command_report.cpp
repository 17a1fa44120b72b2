// tallcache report: results files of reproduce and compare as Markdown, the README's tables generated from
// them, and the plots of a comparison.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "bench/commands.hpp"
#include "bench/comparison.hpp"
#include "bench/json.hpp"
#include "bench/peers.hpp"
#include "bench/report/gnuplot.hpp"
#include "bench/report/grid.hpp"
#include "bench/report/kind.hpp"
#include "bench/steps.hpp"

namespace tallcache {
namespace {

// Comparisons, steps and peers, in the form from before there was a schema.
Json read_results(const std::string& path) {
  std::ifstream file(path);
  const Json json = Json::parse(file, nullptr, false);
  for (const char* kind : {"comparisons", "steps", "peers"})
    if (json.is_object() && json.contains(kind)) return json;
  throw Error(path + " is no results file");
}

bool is_document(const std::string& path) {
  std::ifstream file(path);
  const Json json = Json::parse(file, nullptr, false);
  return !json.is_object() || json.contains("schema") || json.contains("tables");
}

struct ReportOptions {
  std::vector<std::string> files;
  std::string readme, svg;
  bool check = false;
};

bool is_comparison(const Json& results) { return results.contains("comparisons"); }

// What the README's table from such results is called in the marks around it.
std::string kind_of(const Json& results) {
  return is_comparison(results)      ? "comparison"
         : results.contains("steps") ? "steps"
         : results.contains("peers") ? "peers"
                                     : "results";
}

// What stands before and behind the table.
std::pair<std::string, std::string> marks(std::string_view kind) {
  return {fmt::format("<!-- {}:begin -->", kind), fmt::format("<!-- {}:end -->", kind)};
}

std::string machine(const Json& results) {
  const Json& context = results.at("context");
  const Json& build = context.at("build");
  std::string processors = context.at("cpu");
  if (is_comparison(results) || results.contains("peers"))
    processors += fmt::format(", {} cores", context.at("usable_cores").get<int>());
  if (is_comparison(results))
    for (const Json& gpu : context.at("gpus")) processors += " and " + gpu.at("name").get<std::string>();
  return fmt::format("{} ({}, {}, commit {}{})", processors, build.at("compiler").get<std::string>(),
                     build.at("flags").get<std::string>(), build.at("commit").get<std::string>(),
                     context.contains("mode") ? ", " + context["mode"].get<std::string>() + " sizes" : "");
}

std::string markdown(const Json& parts, Grid (*grid)(const Json&)) {
  std::string text;
  for (const Json& part : parts) text += "\n" + render(grid(part), Style::markdown);
  return text;
}

std::string full_report(const Json& results) {
  std::string text = fmt::format("# {}\n\nMeasured on {}.\n", machine(results),
                                 results["context"].at("date").get<std::string>());
  for (const Json& comparison : results.value("comparisons", Json::array()))
    text += fmt::format("\n{}\n{}\n", render(comparison_grid(results, comparison), Style::markdown),
                        crossover_sentence(results, comparison));
  return text + markdown(results.value("steps", Json::array()), steps_grid) +
         markdown(results.value("peers", Json::array()), peers_grid);
}

// What each step brought, or each variant beside its peers.
std::string summary_of(const Json& results, const char* kind, Grid (*grid)(const Json&)) {
  return fmt::format("On {}:\n", machine(results)) + markdown(results.at(kind), grid);
}

// The best of each side at every size.
std::string summary_of_comparison(const Json& results) {
  std::string text = fmt::format("On {}:\n", machine(results));
  for (const Json& comparison : results["comparisons"])
    text += fmt::format("\n{}\n{}\n", render(comparison_summary(results, comparison), Style::markdown),
                        crossover_sentence(results, comparison));
  return text;
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

void draw_comparisons(const std::string& prefix, const Json& results) {
  for (const Json& comparison : results["comparisons"])
    draw(fmt::format("{}-{}.svg", prefix, comparison.at("operation").get<std::string>()),
         comparison_plot(results, comparison));
}

void report(const ReportOptions& options) {
  if (options.check && options.readme.empty()) throw Error("--check needs --readme FILE");
  std::string text;
  std::map<std::string, std::string> summaries;  // by kind
  for (const std::string& path : options.files) {
    if (is_document(path)) {
      const Document document = read_document(path);
      if (!options.svg.empty())
        throw Error(path + " has no comparison to plot: it is not of tallcache compare");
      text += fmt::format("{}# {}\n\n{}", text.empty() ? "" : "\n", machine_line(document),
                          reproduce_report.full(document));
      summaries["results"] += reproduce_report.summary(document);
      if (options.readme.empty()) summaries.clear();
      continue;
    }
    const Json results = read_results(path);
    try {
      if (!options.svg.empty()) {
        if (!is_comparison(results))
          throw Error(path + " has no comparison to plot: it is not of tallcache compare");
        draw_comparisons(options.svg, results);
      }
      const std::string kind = kind_of(results);
      std::string& summary = summaries[kind];
      if (options.readme.empty())
        text += (text.empty() ? "" : "\n") + full_report(results);
      else
        summary +=
            (summary.empty() ? "" : "\n") + (kind == "comparison" ? summary_of_comparison(results)
                                             : kind == "steps"    ? summary_of(results, "steps", steps_grid)
                                                                  : summary_of(results, "peers", peers_grid));
    } catch (const Json::exception& error) {
      const std::string what = error.what();
      throw Error(fmt::format("{} is no results file: {}", path, what.substr(what.find("] ") + 2)));
    }
  }
  if (options.readme.empty() && options.svg.empty()) fmt::print("{}", text);
  for (const auto& [kind, summary] : summaries)
    if (!summary.empty()) update_readme(options, kind, summary);
}

}  // namespace

std::string machine_line(const Document& document) { return machine(Json{{"context", document.context}}); }

void add_report(CLI::App& app) {
  auto options = std::make_shared<ReportOptions>();
  CLI::App* command = app.add_subcommand("report", "Results files as Markdown, or as the README's tables");
  command->footer(
      "Example: tallcache report tallcache-results/reproduce.json > report.md\n"
      "         tallcache report compare.json --svg compare\n"
      "         tallcache report results/machine/reproduce.json --readme README.md");
  command->add_option("FILE", options->files, "Results files of tallcache reproduce, compare, steps or peers")
      ->required();
  const auto [begin, end] = marks("results");
  command->add_option(
      "--readme", options->readme,
      fmt::format("Put a table of the ratios between {} and {} in this file; of a comparison, of "
                  "steps, of peers, between marks of these names",
                  begin, end));
  command->add_flag("--check", options->check, "Change nothing; fail when the README differs");
  command->add_option("--svg", options->svg, "Plot a comparison into PREFIX-<operation>.svg (gnuplot)")
      ->type_name("PREFIX");
  command->callback([options] { report(*options); });
}

}  // namespace tallcache
