// What the commands and options of the program are called, for its manual and for the completion of shells.
#pragma once

#include <CLI/CLI.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace tallcache {

/// The commands, in the order of --help.
inline std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

/// The options that the help shows: those that begin with dashes, or the positional arguments.
inline std::vector<const CLI::Option*> options_of(const CLI::App& command, bool positional) {
  std::vector<const CLI::Option*> list;
  for (const CLI::Option* option : command.get_options())
    if (!option->get_group().empty() && option->get_positional() == positional) list.push_back(option);
  return list;
}

/// "-h", "--help"
inline std::vector<std::string> spellings(const CLI::Option& option) {
  std::vector<std::string> list;
  for (const std::string& name : option.get_snames()) list.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) list.push_back("--" + name);
  return list;
}

/// What the positional arguments of a command may be: tables of reproduce, operations, commands, shells.
std::vector<std::string> argument_words(const CLI::App& app, const CLI::App& command);

}  // namespace tallcache
