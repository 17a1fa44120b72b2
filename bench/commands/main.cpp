// tallcache: the program. Bad input is one line on standard error and exit status 1.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "bench/commands/commands.hpp"
#include "bench/results/tuning_file.hpp"
#include "bench/show/fit.hpp"
#include "bench/show/streams.hpp"
#include "common/catalogue.hpp"

namespace tallcache {
namespace {

// Help whose descriptions are broken where the terminal ends; an example's command is not.
class FittingFormatter : public CLI::Formatter {
 public:
  std::string make_description(const CLI::App* app) const override {
    return paragraphs(CLI::Formatter::make_description(app));
  }
  std::string make_footer(const CLI::App* app) const override {
    return paragraphs(CLI::Formatter::make_footer(app));
  }
  // Options that are not shown have no name.
  std::string make_option_opts(const CLI::Option* option) const override {
    std::string text = CLI::Formatter::make_option_opts(option);
    if (constexpr std::string_view none = " Excludes:"; text.ends_with(none))
      text.resize(text.size() - none.size());
    return text;
  }
  std::string make_option_desc(const CLI::Option* option) const override {
    const std::size_t room =
        std::max<std::size_t>(line_width(), get_column_width() + 30) - get_column_width();
    return fmt::format("{}", fmt::join(lines_of(CLI::Formatter::make_option_desc(option), room), "\n"));
  }
  std::string make_subcommand(const CLI::App* command) const override {
    const std::size_t room =
        std::max<std::size_t>(line_width(), get_column_width() + 30) - get_column_width();
    std::ostringstream text;
    CLI::detail::format_help(text, command->get_name(),
                             fmt::format("{}", fmt::join(lines_of(command->get_description(), room), "\n")),
                             get_column_width());
    return text.str();
  }

 private:
  static std::string paragraphs(const std::string& text) {
    std::istringstream lines(text);
    std::string all;
    for (std::string line; std::getline(lines, line);)
      all += line.starts_with("Example:") || line.starts_with(' ') ? line + "\n"
                                                                   : wrapped_lines(line, line_width());
    return all;
  }
};

// What the arguments ask for. Returns the exit status.
int run(int argc, char** argv) {
  CLI::App app{"Cache-oblivious and locality-aware algorithms, measured.", "tallcache"};
  app.footer("Example: tallcache reproduce matmul-cpu");
  app.require_subcommand(1);
  app.formatter(std::make_shared<FittingFormatter>());
  app.set_version_flag("--version", TALLCACHE_VERSION);
  add_commands(app);
  use_tuning_of_environment();

  std::vector<std::string_view> names;
  std::vector<std::string> storage;
  for (const CLI::App* command : app.get_subcommands({})) storage.push_back(command->get_name());
  names.assign(storage.begin(), storage.end());
  if (argc > 1 && argv[1][0] != '-' && std::ranges::find(names, argv[1]) == names.end())
    throw Error(unknown_name("command", argv[1], names));
  if (argc > 1 && argv[1][0] == '-' && !app.get_option_no_throw(argv[1]))
    throw Error(fmt::format("'{}' is no option of all commands: options come behind a command", argv[1]));
  if (argc < 2) {
    print_text(Stream::output, app.help());
    return 0;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) throw;
    std::ostringstream text;  // what --help and --version ask for
    const int status = app.exit(error, text, text);
    print_text(Stream::output, text.str());
    return status;
  }
  return 0;
}

}  // namespace
}  // namespace tallcache

int main(int argc, char** argv) {
  return tallcache::run_program("tallcache", [=] { return tallcache::run(argc, argv); });
}
