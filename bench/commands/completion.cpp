// tallcache completion: scripts that complete commands, options, operations and tables in a shell.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <memory>

#include "bench/commands/words.hpp"
#include "bench/measure/options.hpp"
#include "bench/show/streams.hpp"
#include "bench/tables/table.hpp"
#include "common/catalogue.hpp"

namespace tallcache {

std::vector<std::string> argument_words(const CLI::App& app, const CLI::App& command) {
  std::vector<std::string> words;
  const std::string& name = command.get_name();
  const auto add = [&](std::string_view word) {
    if (std::ranges::find(words, word) == words.end()) words.emplace_back(word);
  };
  if (name == "reproduce")
    for (const Table* table : tables()) add(table->id);
  else if (name == "completion")
    words = {"bash", "zsh", "fish"};
  else if (name == "manual")
    for (const CLI::App* one : commands_of(app)) add(one->get_name());
  else if (name != "report" && !options_of(command, true).empty())
    for (const Variant* variant : variants()) add(variant->operation->name);
  return words;
}

namespace {

// What can be typed behind a command.
std::vector<std::string> words_of(const CLI::App& app, const CLI::App& command) {
  std::vector<std::string> words = argument_words(app, command);
  for (const CLI::Option* option : options_of(command, false))
    for (const std::string& spelling : spellings(*option))
      if (spelling.starts_with("--")) words.push_back(spelling);
  return words;
}

std::vector<std::string> names_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : commands_of(app)) names.push_back(command->get_name());
  return names;
}

// A line of a case statement for each command.
std::string cases(const CLI::App& app, std::string_view form) {
  std::string text;
  for (const CLI::App* command : commands_of(app))
    text += fmt::format(fmt::runtime(form), command->get_name(), fmt::join(words_of(app, *command), " "));
  return text;
}

// Where nothing fits, bash and zsh complete names of files.
std::string bash(const CLI::App& app) {
  return fmt::format(R"(# bash completion of tallcache: source it, or put it into a completions folder.
_tallcache() {{
  local words="{} --help --version"
  if ((COMP_CWORD > 1)); then
    case ${{COMP_WORDS[1]}} in
{}      *) words= ;;
    esac
  fi
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "${{COMP_WORDS[COMP_CWORD]}}")
}}
complete -o default -F _tallcache tallcache
)",
                     fmt::join(names_of(app), " "), cases(app, "      {}) words=\"{}\" ;;\n"));
}

std::string zsh(const CLI::App& app) {
  return fmt::format(R"(#compdef tallcache
# zsh completion of tallcache: a file _tallcache in a folder of $fpath.
local -a candidates
candidates=({} --help --version)
if ((CURRENT > 2)); then
  case $words[2] in
{}    *) candidates=() ;;
  esac
fi
compadd -- $candidates || _files
)",
                     fmt::join(names_of(app), " "), cases(app, "    {}) candidates=({}) ;;\n"));
}

std::string quoted(std::string text) {
  for (std::size_t at = 0; (at = text.find('\'', at)) != text.npos; at += 2) text.insert(at, 1, '\\');
  return "'" + text + "'";
}

std::string fish(const CLI::App& app) {
  std::string text = "# fish completion of tallcache: a file tallcache.fish in a completions folder.\n";
  for (const CLI::App* command : commands_of(app)) {
    const std::string name = command->get_name();
    text += fmt::format("complete -c tallcache -n __fish_use_subcommand -a {} -d {}\n", name,
                        quoted(command->get_description()));
    const std::string when = fmt::format("complete -c tallcache -n '__fish_seen_subcommand_from {}'", name);
    for (const std::string& word : argument_words(app, *command))
      text += fmt::format("{} -a {}\n", when, word);
    for (const CLI::Option* option : options_of(*command, false))
      for (const std::string& spelling : option->get_lnames())
        text +=
            fmt::format("{} -l {}{} -d {}\n", when, spelling,
                        option->get_items_expected_max() > 0 ? " -r" : "", quoted(option->get_description()));
  }
  return text;
}

constexpr std::array<std::string_view, 3> shells{"bash", "zsh", "fish"};

void print_completion(const CLI::App& app, const std::string& shell) {
  if (std::ranges::find(shells, shell) == shells.end()) throw Error(unknown_name("shell", shell, shells));
  print_text(Stream::output, shell == "bash" ? bash(app) : shell == "zsh" ? zsh(app) : fish(app));
}

}  // namespace

void add_completion(CLI::App& app) {
  const auto shell = std::make_shared<std::string>();
  CLI::App* const command =
      add_command(app, "completion", "A script that completes commands, options and names in a shell",
                  "Example: source <(tallcache completion bash)\n"
                  "         tallcache completion zsh > ~/.zfunc/_tallcache\n"
                  "         tallcache completion fish > ~/.config/fish/completions/tallcache.fish",
                  [&app, shell] { print_completion(app, *shell); });
  command->add_option("SHELL", *shell, "bash, zsh or fish")->required();
}

}  // namespace tallcache
