// tallcache manual: the manual pages, made from the commands' own options.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <memory>

#include "bench/commands/words.hpp"
#include "bench/measure/options.hpp"
#include "bench/show/streams.hpp"
#include "common/catalogue.hpp"

namespace tallcache {
namespace {

struct Described {
  std::string_view name, what;
};

// README.md has these and those of the drop-in BLAS in one table; a test compares them.
constexpr std::array environment{
    Described{"COLUMNS",
              "The width that tables and help fit, in place of the terminal's, or of 100 in a file."},
    Described{"NO_COLOR", "Where it is set and not empty, nothing is emphasised on a terminal."},
    Described{"XDG_CACHE_HOME",
              "Where FFTW's plans and its own build are kept, in tallcache; without it ~/.cache."},
    Described{"TALLCACHE_PEERS", "The folder of FFTW's build, in place of that one; empty: the system's."},
    Described{"TALLCACHE_TUNING",
              "A file of tallcache tune, whose values come before those that the GPUs have."},
    Described{"OPENBLAS_CORETYPE",
              "The kernels of OpenBLAS, in place of those that are the fastest when measured."},
    Described{"BLIS_ARCH_TYPE", "The kernels of BLIS, likewise."},
};

constexpr std::array files{
    Described{"tallcache-results/reproduce.json",
              "What tallcache reproduce has measured in the current folder; the next run resumes it. "
              "--results names another folder."},
    Described{"FILE of --json", "A document of results/schema.json, which tallcache report reads."},
};

constexpr std::array exit_statuses{
    Described{"0", "Everything that was asked for was done, and every result was right."},
    Described{"1", "Bad input, a wrong result, or something that cannot be done here: one line says what."},
    Described{"130, 143", "Interrupted by Ctrl-C or SIGTERM. What was measured until then is kept."},
};

std::string as_roff(std::string_view text) {
  std::string roff;
  bool begins_line = true;
  for (const char c : text) {
    if (begins_line && (c == '.' || c == '\'')) roff += "\\&";
    begins_line = c == '\n';
    roff += c == '\\' ? "\\\\" : c == '-' ? "\\-" : std::string(1, c);
  }
  return roff;
}

std::string item(std::string_view name, std::string_view what) {
  return fmt::format(".TP\n\\fB{}\\fR\n{}\n", as_roff(name), as_roff(what));
}

template <class Entries>
std::string section(std::string_view title, const Entries& entries) {
  std::string text = fmt::format(".SH {}\n", title);
  for (const Described& entry : entries) text += item(entry.name, entry.what);
  return text;
}

// "\fB--seed\fR UINT:[0 - 9]=1"
std::string heading(const CLI::Option& option) {
  std::string values = option.get_items_expected_max() > 0 ? option.get_type_name() : "";
  if (!option.get_default_str().empty()) values += "=" + option.get_default_str();
  const std::string names =
      option.get_positional() ? option.get_name(true) : fmt::format("{}", fmt::join(spellings(option), ", "));
  return fmt::format(".TP\n\\fB{}\\fR {}\n", as_roff(names), as_roff(values));
}

std::string options_text(const CLI::App& command) {
  std::string text;
  for (const bool positional : {true, false}) {
    const auto options = options_of(command, positional);
    if (options.empty()) continue;
    text += positional ? ".SH ARGUMENTS\n" : ".SH OPTIONS\n";
    for (const CLI::Option* option : options)
      text += heading(*option) + as_roff(option->get_description()) + "\n";
  }
  return text;
}

std::string synopsis(const CLI::App& command, const std::string& name) {
  std::string text = fmt::format("\\fB{}\\fR [OPTION...]", as_roff(name));
  for (const CLI::Option* option : options_of(command, true))
    text += fmt::format(" [{}{}]", as_roff(option->get_name(true)),
                        option->get_items_expected_max() > 1 ? "..." : "");
  return text;
}

std::string see_also(const CLI::App& app, const std::string& own) {
  std::vector<std::string> pages{"tallcache", "tallcache-blas"};
  for (const CLI::App* command : commands_of(app)) pages.push_back("tallcache-" + command->get_name());
  std::erase(pages, own);
  for (std::string& page : pages) page = fmt::format("\\fB{}\\fR(1)", as_roff(page));
  return fmt::format(".SH SEE ALSO\n{}\n", fmt::join(pages, ",\n"));
}

// The page of a command, or of the program itself.
std::string page_of(const CLI::App& app, const CLI::App& command) {
  const bool whole = &command == &app;
  const std::string name = whole ? "tallcache" : "tallcache-" + command.get_name();
  const std::string typed = whole ? "tallcache" : "tallcache " + command.get_name();
  std::string text =
      fmt::format(".TH {} 1 \"\" \"tallcache {}\" \"User Commands\"\n", as_roff(name), TALLCACHE_VERSION);
  text += fmt::format(".SH NAME\n{} \\- {}\n", as_roff(name), as_roff(command.get_description()));
  text += fmt::format(".SH SYNOPSIS\n{}\n",
                      whole ? "\\fBtallcache\\fR COMMAND [OPTION...]" : synopsis(command, typed));
  if (whole) {
    text += ".SH COMMANDS\n";
    for (const CLI::App* one : commands_of(app)) text += item(one->get_name(), one->get_description());
  }
  text += options_text(command);
  text +=
      section("ENVIRONMENT", environment) + section("FILES", files) + section("EXIT STATUS", exit_statuses);
  if (const std::string footer = command.get_footer(); !footer.empty())
    text += fmt::format(".SH EXAMPLES\n.nf\n{}\n.fi\n", as_roff(footer));
  return text + see_also(app, name);
}

void print_page(const CLI::App& app, const std::string& name) {
  if (name.empty()) return print_text(Stream::output, page_of(app, app));
  std::vector<std::string_view> names;
  for (const CLI::App* command : commands_of(app)) {
    if (command->get_name() == name) return print_text(Stream::output, page_of(app, *command));
    names.push_back(command->get_name());
  }
  throw Error(unknown_name("command", name, names));
}

}  // namespace

void add_manual(CLI::App& app) {
  const auto name = std::make_shared<std::string>();
  CLI::App* const command =
      add_command(app, "manual", "The manual page of the program or of a command, for man or groff",
                  "Example: tallcache manual run | man -l -", [&app, name] { print_page(app, *name); });
  command->add_option("COMMAND", *name, "The command; without one, the program");
}

}  // namespace tallcache
