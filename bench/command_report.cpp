// tallcache report: results files as Markdown, and the README's table generated from them.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "bench/commands.hpp"
#include "bench/results.hpp"
#include "bench/tables/grid.hpp"
#include "bench/tables/table.hpp"

namespace tallcache {
namespace {

struct Options {
  std::vector<std::string> files;
  std::string readme;
  bool check = false;
};

constexpr std::string_view begin_mark = "<!-- results:begin -->", end_mark = "<!-- results:end -->";

std::string machine(const Json& results) {
  const Json& context = results.at("context");
  const Json& build = context.at("build");
  return fmt::format("{} ({}, {}, commit {}, {} sizes)", context.at("cpu").get<std::string>(),
                     build.at("compiler").get<std::string>(), build.at("flags").get<std::string>(),
                     build.at("commit").get<std::string>(), context.at("mode").get<std::string>());
}

std::string full_report(const Json& results) {
  std::string text = fmt::format("# {}\n\nMeasured on {}.\n", machine(results),
                                 results["context"].at("date").get<std::string>());
  for (const Json& table : results["tables"]) text += "\n" + render_table(table, Style::markdown);
  return text;
}

// One line a ratio: the slide's beside this machine's.
std::string summary(const Json& results) {
  Grid grid{.caption = fmt::format("On {}:", machine(results)),
            .columns = {{"table", true}, {"size", true}, {"ratio", true}, {"slide"}, {"here"}},
            .rows = {}};
  int held = 0, decided = 0;
  for (const Json& table : results["tables"]) {
    std::string id = table.at("id");
    for (const Json& ratio : table.at("ratios")) {
      const auto shown = ratio.at("quotient") ? times : figure;
      grid.rows.push_back({std::exchange(id, ""), ratio.at("where"), ratio.at("what"),
                           shown(ratio.at("slide")), shown(ratio.at("here"))});
    }
    for (const Json& finding : table.at("findings"))
      if (!finding.at("holds").is_null()) ++decided, held += finding["holds"].get<bool>();
  }
  return render(grid, Style::markdown) +
         fmt::format("\nOf the slides' findings that these measurements decide, {} of {} hold here.\n", held,
                     decided);
}

std::string read_text(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  if (!(text << file.rdbuf())) throw Error("cannot read " + path);
  return text.str();
}

void write_text(const std::string& path, const std::string& text) {
  require_writable(path);
  std::ofstream file(path);
  if (!(file << text) || !file.flush()) throw Error("cannot write " + path);
}

void update_readme(const Options& options, const std::string& generated) {
  const std::string text = read_text(options.readme);
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

void report(const Options& options) {
  if (options.check && options.readme.empty()) throw Error("--check needs --readme FILE");
  std::string text;
  for (const std::string& path : options.files) {
    const Json results = read_results(path);
    try {
      text += (text.empty() ? "" : "\n") + (options.readme.empty() ? full_report(results) : summary(results));
    } catch (const Json::exception& error) {
      const std::string what = error.what();
      throw Error(fmt::format("{} is no results file: {}", path, what.substr(what.find("] ") + 2)));
    }
  }
  if (options.readme.empty())
    fmt::print("{}", text);
  else
    update_readme(options, text);
}

}  // namespace

void add_report(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("report", "Results files as Markdown, or as the README's table");
  command->footer(
      "Example: tallcache report tallcache-results/reproduce.json > report.md\n"
      "         tallcache report results/machine/reproduce.json --readme README.md");
  command->add_option("FILE", options->files, "Results files of tallcache reproduce")->required();
  command->add_option(
      "--readme", options->readme,
      fmt::format("Put a table of the ratios between {} and {} in this file", begin_mark, end_mark));
  command->add_flag("--check", options->check, "Change nothing; fail when the README differs");
  command->callback([options] { report(*options); });
}

}  // namespace tallcache
