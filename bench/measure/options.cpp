#include "bench/measure/options.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

#include "bench/results/output_file.hpp"
#include "common/catalogue.hpp"

namespace tallcache {
namespace {

// All of the text as one number in decimal notation. Other than CLI11's conversions it takes no octal number
// for one, nor one that overflows.
template <class T>
std::optional<T> number_of(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

constexpr int most_devices = 1 << 16;

template <class T>
CLI::Option* limit(CLI::Option* option, T min, T max, bool above_min, const std::string& range,
                   const std::string& what) {
  return option->transform(CLI::Validator(
      [=](std::string& text) -> std::string {
        const std::optional<T> value = number_of<T>(text);
        // A NaN is in no range.
        const bool in_range = value && (above_min ? *value > min : *value >= min) && *value <= max;
        if (!in_range) return fmt::format("'{}' is not {}", text, what);
        text = fmt::format("{}", *value);
        return {};
      },
      range));
}

template <class T>
CLI::Option* limit_whole(CLI::Option* option, T min, T max) {
  return limit<T>(option, min, max, false, fmt::format("[{} - {}]", min, max),
                  fmt::format("a whole number from {} to {}", min, max));
}

}  // namespace

CLI::App* add_command(CLI::App& app, const std::string& name, const std::string& help,
                      const std::string& footer, std::function<void()> run) {
  CLI::App* const command = app.add_subcommand(name, help);
  command->footer(footer);
  return command->callback(std::move(run));
}

CLI::Option* whole_in(CLI::Option* option, std::int64_t min, std::int64_t max) {
  return limit_whole<std::int64_t>(option, min, max);
}

CLI::Option* number_in(CLI::Option* option, double min, double max) {
  return limit<double>(option, min, max, false, fmt::format("[{:g} - {:g}]", min, max),
                       fmt::format("a number from {:g} to {:g}", min, max));
}

CLI::Option* above_zero(CLI::Option* option, double max) {
  return limit<double>(option, 0, max, true, fmt::format("(0 - {:g}]", max),
                       fmt::format("a number above 0 and up to {:g}", max));
}

CLI::Option* one_of(CLI::Option* option, const std::string& what,
                    std::vector<std::pair<std::string, int>> values) {
  std::string all;
  for (const auto& [name, value] : values) all += (all.empty() ? "" : "|") + name;
  return option->type_name(all)->transform(CLI::Validator(
      [=](std::string& text) -> std::string {
        std::vector<std::string_view> names;
        for (const auto& [name, value] : values) {
          if (text == name) {
            text = std::to_string(value);
            return {};
          }
          names.push_back(name);
        }
        return unknown_name(what, text, names);
      },
      ""));
}

CLI::Option* any_word(CLI::Option* option) {
  return limit_whole<std::uint64_t>(option, 0, std::numeric_limits<std::uint64_t>::max());
}

void add_seed(CLI::App& command, std::uint64_t& seed) {
  any_word(command.add_option("--seed", seed, "Seed of the input data"))->capture_default_str();
}

void add_patient(CLI::App& command, bool& patient) {
  command.add_flag("--patient", patient,
                   "Libraries that plan by measuring (FFTW) may take minutes for it, before any time");
}

void add_device(CLI::App& command, int& device, const std::string& what) {
  whole_in(command.add_option("--device", device, what), 0, most_devices)->capture_default_str();
}

CLI::Option* add_output_file(CLI::App& command, const std::string& name, std::string& path,
                             const std::string& what) {
  return command.add_option(name, path, what)
      ->type_name("FILE")
      ->transform(CLI::Validator(
          [](std::string& file) -> std::string {
            try {
              if (is_standard_output(file)) file = "-";
              return {};
            } catch (const std::exception& error) {
              return error.what();
            }
          },
          ""));
}

void refuse_empty_values(CLI::App& app) {
  const CLI::Validator has_value(
      [](std::string& value) { return value.empty() ? std::string("its value is empty") : std::string(); },
      "");
  for (CLI::App* command : app.get_subcommands({}))
    for (CLI::Option* option : command->get_options())
      if (option->get_items_expected_max() > 0) option->check(has_value);
}

}  // namespace tallcache
