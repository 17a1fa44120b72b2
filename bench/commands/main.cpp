// tallcache: the program. Bad input is one line on standard error and exit status 1.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "bench/commands/commands.hpp"
#include "bench/show/streams.hpp"
#include "common/catalogue.hpp"

namespace tallcache {
namespace {

// What the arguments ask for. Returns the exit status.
int run(int argc, char** argv) {
  CLI::App app{"Cache-oblivious and locality-aware algorithms, measured.", "tallcache"};
  app.footer("Example: tallcache reproduce matmul-cpu");
  app.require_subcommand(1);
  app.set_version_flag("--version", TALLCACHE_VERSION);
  add_commands(app);

  std::vector<std::string_view> names;
  std::vector<std::string> storage;
  for (const CLI::App* command : app.get_subcommands({})) storage.push_back(command->get_name());
  names.assign(storage.begin(), storage.end());
  if (argc > 1 && argv[1][0] != '-' && std::ranges::find(names, argv[1]) == names.end())
    throw Error(unknown_name("command", argv[1], names));
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
