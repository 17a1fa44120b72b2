// What options of commands take: numbers in a range, and names of files that are written. Anything else is
// refused in one line, before a command begins.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace tallcache {

/// The longest time that an option may ask for, in seconds: eleven days.
inline constexpr double most_seconds = 1e6;

/// Adds a command.
CLI::App* add_command(CLI::App&, const std::string& name, const std::string& help, const std::string& footer,
                      std::function<void()> run);

/// Adds a command that calls `run` with its options. Returns it, and the options for it to set.
template <class Parameter>
auto add_command(CLI::App& app, void (*run)(Parameter), const std::string& name, const std::string& help,
                 const std::string& footer) {
  const auto options = std::make_shared<std::remove_cvref_t<Parameter>>();
  return std::pair(add_command(app, name, help, footer, [=] { run(*options); }), options.get());
}

/// Adds to an option of numbers that each is whole, in decimal digits, and in [min, max].
CLI::Option* whole_in(CLI::Option*, std::int64_t min, std::int64_t max);
/// Adds to an option of numbers that each is finite, in decimal notation, and in [min, max].
CLI::Option* number_in(CLI::Option*, double min, double max);
/// The same for numbers in (0, max].
CLI::Option* above_zero(CLI::Option*, double max = most_seconds);

/// Adds to an option of an enumeration that it is one of these names; an error says `what` they name.
CLI::Option* one_of(CLI::Option*, const std::string& what, std::vector<std::pair<std::string, int>> values);

/// Adds to an option that it is any number of 64 bits.
CLI::Option* any_word(CLI::Option*);

/// Adds --seed, any number of 64 bits.
void add_seed(CLI::App&, std::uint64_t& seed);
/// Adds --patient: Planning::patient.
void add_patient(CLI::App&, bool& patient);
/// Adds --device.
void add_device(CLI::App&, int& device, const std::string& what);

/// Adds an option that names a file to write. "-" and every name of standard output become "-".
CLI::Option* add_output_file(CLI::App&, const std::string& name, std::string& path, const std::string& what);

/// Adds to every option of every command that its value is not empty.
void refuse_empty_values(CLI::App&);

}  // namespace tallcache
