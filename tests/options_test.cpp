// The options of all commands: numbers that are finite and in their range, and values that are not empty. A
// new option is found here by the type that CLI11 shows in the help.
#include "bench/measure/options.hpp"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <map>

#include "bench/commands/commands.hpp"

namespace tallcache {
namespace {

// The program's commands, none of which does anything.
struct Commands {
  CLI::App app{"", "tallcache"};

  Commands() {
    app.require_subcommand(1);
    add_commands(app);
    // It is asked for behind everything else that can be refused, and never given.
    for (CLI::App* command : app.get_subcommands({})) command->add_flag("--never-given")->required();
  }

  // The refusal of a value: empty where it is taken. What else the command needs does not matter.
  std::string refusal(const CLI::App& command, const CLI::Option& option, const std::string& value) {
    std::vector<std::string> arguments{value, command.get_name()};  // from the last one
    if (!option.get_positional()) arguments.insert(arguments.begin() + 1, option.get_name());
    try {
      app.parse(std::move(arguments));
    } catch (const CLI::RequiredError&) {
    } catch (const CLI::RequiresError&) {
    } catch (const CLI::ParseError& error) {
      return error.what();
    }
    return "";
  }

  // "report --fail-above" and the like, of the options whose type has this name in it.
  std::map<std::string, std::pair<CLI::App*, CLI::Option*>> options(
      std::initializer_list<std::string_view> types) {
    std::map<std::string, std::pair<CLI::App*, CLI::Option*>> found;
    for (CLI::App* command : app.get_subcommands({}))
      for (CLI::Option* option : command->get_options()) {
        if (option->get_items_expected_max() == 0) continue;
        const std::string type = option->get_type_name();
        for (const std::string_view name : types)
          if (type.starts_with(name))
            found[command->get_name() + " " + option->get_name()] = {command, option};
      }
    return found;
  }
};

void expect_refused(Commands& commands, const std::string& name, CLI::App& command, CLI::Option& option,
                    const char* value) {
  const std::string line = commands.refusal(command, option, value);
  EXPECT_NE(line.find(option.get_name()), line.npos) << name << " '" << value << "': " << line;
  EXPECT_EQ(line.find('\n'), line.npos) << line;
}

TEST(Options, NumbersAreFiniteDecimalAndInTheirRange) {
  Commands commands;
  const auto numbers = commands.options({"FLOAT", "INT", "UINT"});
  EXPECT_GE(numbers.size(), 35);
  for (const char* known : {"run --seconds", "profile --burden", "report --fail-above", "forks --longest-run",
                            "ranks --ranks", "ranks --repetitions", "profile --grain", "reproduce --seed"})
    EXPECT_TRUE(numbers.contains(known)) << known;
  for (const auto& [name, place] : numbers) {
    const auto& [command, option] = place;
    for (const char* bad : {"nan",
                            "NaN",
                            "-nan",
                            "inf",
                            "-inf",
                            "infinity",
                            "1e400",
                            "-1e400",
                            "1e-400",
                            "0x10",
                            "",
                            " 2",
                            "2 ",
                            "2x",
                            "x",
                            "1e",
                            "-1",
                            "-0.5",
                            "99999999999999999999",
                            "-99999999999999999999",
                            "2;3"})
      expect_refused(commands, name, *command, *option, bad);
    EXPECT_EQ(commands.refusal(*command, *option, "2"), "") << name;
    // The help states the range.
    EXPECT_NE(option->get_type_name().find_first_of("[("), std::string::npos)
        << name << option->get_type_name();
  }
  for (const auto& [name, place] : commands.options({"INT", "UINT"}))
    for (const char* bad : {"1.5", "2e0", "2."})
      expect_refused(commands, name, *place.first, *place.second, bad);
}

TEST(Options, TheEndsOfARangeAreInIt) {
  struct Case {
    const char *name, *least, *most, *below, *above;
  };
  constexpr const char* most_seed = "18446744073709551615";
  Commands commands;
  const auto numbers = commands.options({"FLOAT", "INT", "UINT"});
  for (const Case& one : {Case{"run --seed", "0", most_seed, "-1", "18446744073709551616"},
                          Case{"run --seconds", "1e-300", "1e6", "0", "1000000.1"},
                          Case{"report --fail-above", "1", "1e6", "0.999", "1.1e6"},
                          Case{"profile --burden", "0", "1e12", "-1e-9", "1.1e12"},
                          Case{"ranks --ranks", "1", "1000000", "0", "1000001"},
                          Case{"ranks --repetitions", "1", "1000", "0", "1001"},
                          Case{"forks --threads", "2", "1048576", "1", "1048577"}}) {
    const auto& [command, option] = numbers.at(one.name);
    for (const char* good : {one.least, one.most})
      EXPECT_EQ(commands.refusal(*command, *option, good), "") << one.name;
    for (const char* bad : {one.below, one.above}) expect_refused(commands, one.name, *command, *option, bad);
  }
  const auto& [command, option] = numbers.at("run --seed");
  commands.refusal(*command, *option, most_seed);
  EXPECT_EQ(option->as<std::uint64_t>(), std::numeric_limits<std::uint64_t>::max());
  commands.refusal(*command, *option, "010");  // which is eight to strtoull()
  EXPECT_EQ(option->as<std::uint64_t>(), 10);
}

TEST(Options, EachNumberOfAListIsLookedAt) {
  Commands commands;
  const auto [command, option] = commands.options({"INT"}).at("ranks --ranks");
  EXPECT_EQ(commands.refusal(*command, *option, "2,4,8"), "");
  expect_refused(commands, "ranks", *command, *option, "2,4,99999999999999");
  expect_refused(commands, "ranks", *command, *option, "2,0x4");
}

TEST(Options, NoValueIsEmpty) {
  Commands commands;
  const auto all = commands.options({""});
  for (const char* file : {"run --json", "run --graph", "report --html", "report --readme", "report --svg",
                           "report --against", "profile --csv", "profile --svg", "ranks --simulate",
                           "report FILE", "reproduce --results", "list --json"})
    EXPECT_TRUE(all.contains(file)) << file;
  for (const auto& [name, place] : all)
    EXPECT_NE(commands.refusal(*place.first, *place.second, ""), "") << name;
}

TEST(Options, NamesOfStandardOutputAreOne) {
  Commands commands;
  const auto [command, option] = commands.options({"FILE"}).at("run --json");
  for (const char* name : {"-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"}) {
    EXPECT_EQ(commands.refusal(*command, *option, name), "");
    EXPECT_EQ(option->as<std::string>(), "-") << name;
  }
  EXPECT_EQ(commands.refusal(*command, *option, "stdout"), "");
  EXPECT_EQ(option->as<std::string>(), "stdout");
}

}  // namespace
}  // namespace tallcache
