// tallcache report: results documents of every kind as Markdown or as one page of HTML, the READMEs' tables
// generated from them, their plots, and a run against an older one.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <sstream>

#include "bench/commands/commands.hpp"
#include "bench/measure/options.hpp"
#include "bench/results/csv.hpp"
#include "bench/results/device_state.hpp"
#include "bench/results/stale.hpp"
#include "bench/show/against_text.hpp"
#include "bench/show/drawing.hpp"
#include "bench/show/format.hpp"
#include "bench/show/html.hpp"
#include "bench/show/page.hpp"
#include "bench/show/streams.hpp"

namespace tallcache {
namespace {

struct ReportOptions {
  std::vector<std::string> files, against;
  std::string readme, svg, html, csv;
  bool check = false, stale = false;
  std::optional<double> fail_above;
};

// The lines of a README between which something generated stands: the tables of one kind, or what was found.
std::pair<std::string, std::string> marks(std::string_view name) {
  return {fmt::format("<!-- {}:begin -->", name), fmt::format("<!-- {}:end -->", name)};
}

constexpr std::string_view found_mark = "found";

std::string read_text(const std::string& path) {
  errno = 0;
  std::ifstream file(path);
  if (!file) throw Error(fmt::format("cannot read {}: {}", path, std::strerror(errno)));
  std::stringstream text;
  text << file.rdbuf();
  if (text.bad()) throw Error(fmt::format("cannot read {} to its end", path));
  return text.str();
}

// A README, and what is generated for it, by the names of its marks.
struct Readme {
  std::string text;
  std::map<std::string, std::string, std::less<>> generated{};

  bool has(std::string_view name) const {
    const auto [begin_mark, end_mark] = marks(name);
    const auto begin = text.find(begin_mark);
    return begin != text.npos && text.find(end_mark, begin) != text.npos;
  }
  std::string filled() const {
    std::string filled = text;
    for (const auto& [name, lines] : generated) {
      const auto [begin_mark, end_mark] = marks(name);
      const auto begin = filled.find(begin_mark) + begin_mark.size();
      filled.replace(begin, filled.find(end_mark, begin) - begin, "\n" + lines);
    }
    return filled;
  }
};

// The tables of the document's kind and what it found, each where the README has marks for it; nothing
// between the marks where it is left out.
void add(Readme& readme, const std::string& path, const Document& document, bool left_out) {
  const ReportKind& kind = find_kind(document.kind);
  if (!kind.summary && !kind.found)
    throw Error(fmt::format("a document of tallcache {} has no table for a README", kind.kind));
  const bool tables = kind.summary && readme.has(kind.kind), found = kind.found && readme.has(found_mark);
  if (!tables && !found) {
    const auto [begin, end] = marks(kind.kind);
    throw Error(fmt::format("{} has no lines '{}' and '{}'", path, begin, end));
  }
  if (tables) {
    std::string& lines = readme.generated[std::string(kind.kind)];
    if (!left_out)
      lines += (lines.empty() ? "" : "\n") + measured_on(document) + "\n" + kind.summary(document);
  }
  if (found) {
    std::string& lines = readme.generated[std::string(found_mark)];
    if (!left_out) lines += kind.found(document);
  }
}

// Writes what the documents generate, or with --check throws Error when the file holds something else.
void write_generated(const ReportOptions& options, std::string_view option, const std::string& path,
                     const std::string& wanted) {
  if (!options.check) return write_text(path, wanted);
  if (read_text(path) != wanted)
    throw Error(fmt::format("{0} differs from what {1} generates; run tallcache report {2} {3} {0}", path,
                            fmt::join(options.files, ", "), fmt::join(options.files, " "), option));
}

void plot(const Document& document, const std::string& prefix) {
  const ReportKind& kind = find_kind(document.kind);
  if (!kind.charts) throw Error(fmt::format("a document of tallcache {} has nothing to plot", kind.kind));
  // What an interrupted run did not reach has no plot.
  std::vector<Chart> charts = kind.charts(document);
  if (std::ranges::any_of(charts, has_points)) std::erase_if(charts, std::not_fn(has_points));
  for (const Chart& chart : charts)
    write_text(fmt::format("{}-{}.svg", prefix, chart.file.empty() ? file_name(chart.title) : chart.file),
               svg_file(chart));
}

std::string as_markdown(const Document& document) {
  const std::string states = device_state_text(document);
  return fmt::format("# {}\n\nMeasured on {}.\n\n{}{}{}", machine_line(document),
                     document.context.at("date").get<std::string>(), states, states.empty() ? "" : "\n",
                     find_kind(document.kind).full(document));
}

// Calls `use` with each document and its file. Throws Error, which names the file, when one is not what its
// kind says.
template <class Use>
void for_each_document(const std::vector<std::string>& files, Use&& use) {
  for (const std::string& path : files) {
    const Document document = read_document(path);
    try {
      use(document, path);
    } catch (const Json::exception& error) {
      throw Error(
          fmt::format("{} is no results document of the kind '{}': {}", path, document.kind, what_of(error)));
    } catch (const Error& error) {
      throw Error(fmt::format("{}: {}", path, error.what()));
    } catch (const std::exception&) {  // of an optional or a list that is empty
      throw Error(fmt::format("{} is no results document of the kind '{}': its plan lacks a part", path,
                              document.kind));
    }
  }
}

void write_page(const ReportOptions& options) {
  if (!options.check) require_writable(options.html);
  Page page(kinds());
  for_each_document(options.files, [&](const Document& document, const std::string&) {
    page.add(document, find_kind(document.kind));
  });
  write_generated(options, "--html", options.html, page.html());
}

void write_csv(const ReportOptions& options) {
  require_writable(options.csv);
  std::string text = csv_header();
  for_each_document(options.files,
                    [&](const Document& document, const std::string&) { text += csv_lines(document); });
  write_text(options.csv, text);
}

std::vector<Document> read_all(const std::vector<std::string>& files) {
  std::vector<Document> documents;
  for (const std::string& file : files) documents.push_back(read_document(file));
  return documents;
}

// Throws Error, which names the files, where one of them lacks what a comparison reads.
RunComparison compared(const ReportOptions& options, const std::vector<Document>& now,
                       const std::vector<Document>& before) {
  try {
    const RunComparison comparison =
        now.size() == 1 ? compare_runs(now[0], before[0]) : compare_in_turn(now, before);
    print_text(Stream::output, against_text(comparison, now[0], before[0]));
    return comparison;
  } catch (const Json::exception& error) {
    throw Error(fmt::format("{} against {}: one is no whole results document: {}",
                            fmt::join(options.files, " "), fmt::join(options.against, " "), what_of(error)));
  }
}

// Prints what changed. Throws Error when a record is broken, or slower by more than is allowed.
void print_changes(const ReportOptions& options) {
  if (options.files.size() != options.against.size())
    throw Error(fmt::format("--against takes as many older documents as there are FILEs: {} and {}",
                            options.against.size(), options.files.size()));
  const std::vector<Document> now = read_all(options.files), before = read_all(options.against);
  const RunComparison comparison = compared(options, now, before);
  if (!options.fail_above) return;
  if (const std::string failure = failure_of(comparison, *options.fail_above); !failure.empty())
    throw Error(failure);
}

// results/MACHINE/*.json of the current folder, in order.
std::vector<std::string> committed_documents() {
  namespace fs = std::filesystem;
  std::vector<std::string> files;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator("results", error)) {
    const fs::path& path = entry.path();
    const fs::path folder = path.parent_path();
    if (path.extension() == ".json" && folder.parent_path() == "results" && folder.filename() != "slides")
      files.push_back(path.string());
  }
  if (files.empty()) throw Error("no FILE is named, and there is no results/*/*.json here");
  std::ranges::sort(files);
  return files;
}

// A line for each document that is stale, or of which that is unknown, and the number of each.
void print_stale(const std::vector<std::string>& files) {
  std::size_t stale = 0, unknown = 0;
  for_each_document(files, [&](const Document& document, const std::string& path) {
    const Staleness found = staleness(document);
    if (found.fresh()) return;
    ++(found.changed.empty() ? unknown : stale);
    print("{}: {}\n", path, to_string(found));
  });
  print("{} of {} documents are stale; of {} it is unknown\n", stale, files.size(), unknown);
}

// What a README prints is what the sources are: of a stale document its fresh records, where these stand for
// themselves, else nothing, with a word.
void add_fresh(Readme& readme, const std::string& readme_path, const Document& document,
               const std::string& path) {
  const Staleness found = staleness(document);
  const bool by_record = find_kind(document.kind).by_record;
  if (!found.fresh())
    print(Stream::error, "{}: {}{}\n", path, to_string(found),
          found.changed.empty() ? ""
          : by_record           ? "; the records of these are left out"
                                : "; left out");
  if (found.changed.empty() || !by_record) return add(readme, readme_path, document, !found.changed.empty());
  const Document fresh = without_changed(document, found.changed);
  add(readme, readme_path, fresh,
      std::ranges::none_of(fresh.measurements, [](const Record& r) { return r.outcome.measured(); }));
}

void report(const ReportOptions& options) {
  if (options.stale) return print_stale(options.files.empty() ? committed_documents() : options.files);
  if (options.files.empty()) throw CLI::RequiredError("FILE");
  if (!options.against.empty()) return print_changes(options);
  if (options.check && options.readme.empty() && options.html.empty())
    throw Error("--check needs --readme FILE or --html PAGE");
  if (!options.html.empty()) return write_page(options);
  if (!options.csv.empty()) return write_csv(options);
  std::optional<Readme> readme;
  if (!options.readme.empty()) {
    if (is_stream(options.readme))
      throw Error(fmt::format("--readme: {} is no regular file that can be filled in", options.readme));
    readme = Readme{read_text(options.readme)};
  }
  std::string text;
  for_each_document(options.files, [&](const Document& document, const std::string& file) {
    if (!options.svg.empty()) plot(document, options.svg);
    if (readme)
      add_fresh(*readme, options.readme, document, file);
    else if (options.svg.empty())
      text += (text.empty() ? "" : "\n") + as_markdown(document);
  });
  print_text(Stream::output, text);
  if (readme) write_generated(options, "--readme", options.readme, readme->filled());
}

}  // namespace

void add_report(CLI::App& app) {
  const auto [command, options] =
      add_command(app, report, "report", "Results documents as Markdown, or as the tables of a README",
                  "Example: tallcache report tallcache-results/reproduce.json > report.md\n"
                  "         tallcache report results/machine/*.json --html page.html\n"
                  "         tallcache report compare.json --against older.json --fail-above 1.1\n"
                  "         tallcache report --stale results/machine/*.json\n"
                  "         tallcache report compare.json --svg compare\n"
                  "         tallcache report run.json peers.json --csv figures.csv\n"
                  "         tallcache report results/machine/reproduce.json --readme README.md");
  command->add_option("FILE", options->files, "What the commands have written by --json, of any kind");
  const auto [begin, end] = marks("KIND");
  command->add_option(
      "--readme", options->readme,
      fmt::format("Put the tables of each kind that is among the files (reproduce, compare, steps, peers) "
                  "between {} and {} in this file, and what steps found between the marks '{}'",
                  begin, end, found_mark));
  command->add_flag("--check", options->check, "Change nothing; fail when the README or the page differs");
  command
      ->add_option("--svg", options->svg, "Plot into PREFIX-<operation>.svg, or PREFIX-<chart>.svg of tables")
      ->type_name("PREFIX");
  add_output_file(*command, "--html", options->html,
                  "Write one page of HTML with charts and tables of all the files, which needs no network")
      ->type_name("PAGE")
      ->excludes("--readme", "--svg");
  add_output_file(*command, "--csv", options->csv,
                  "Write all figures of all the files to FILE as CSV, a line each ('-': standard output)")
      ->excludes("--readme", "--svg", "--html");
  CLI::Option* against =
      command
          ->add_option(
              "--against", options->against,
              "What is slower, faster, gone and new since this older document, normalised by what both "
              "measured of the machine; or since as many older ones as FILEs, of processes that ran in turn "
              "(bench/alternate)")
          ->type_name("OLD")
          ->excludes("--readme", "--svg", "--html", "--csv");
  number_in(command->add_option("--fail-above", options->fail_above,
                                "Fail when a record takes more than so many times as long as before, as 1.1, "
                                "when its result is wrong, or when it failed and had not before"),
            1, 1e6)
      ->needs(against);
  command
      ->add_flag(
          "--stale", options->stale,
          "Name the documents whose variants' sources have changed since they were measured, and the "
          "sources; without FILE: of all in results/*/*.json. Comments and blanks do not count, where git "
          "has both texts")
      ->excludes("--readme", "--svg", "--html", "--csv", "--against", "--check");
}

}  // namespace tallcache
