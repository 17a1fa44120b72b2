// Standard output and standard error of the programs, either of which may be closed or full. A measurement
// ends for neither: the program ends with an error when what it printed was not written.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace tallcache {

/// Ends the program with this exit status and one line on standard error.
struct Exit : std::runtime_error {
  Exit(int exit_status, const std::string& line) : std::runtime_error(line), status(exit_status) {}
  int status;
};

/// All of main(): the status of `run`, or 1 and one line on standard error where it throws, or where
/// something that was printed to standard output, in whatever way, was not written. Before it runs, what is
/// closed of the descriptors 0, 1 and 2 is opened, so that no file gets its number, and in such a way that
/// using it still fails. A file beyond the limit on its size is an error and no longer the program's end.
int run_program(std::string_view name, const std::function<int()>& run);

/// A report goes to standard output, progress to standard error, both unless it is quiet.
enum class Stream { output, report, error, progress };

/// How much is said beside the results: nothing but errors, the usual, or every round.
enum class Verbosity { quiet, usual, verbose };
void set_verbosity(Verbosity);
Verbosity verbosity();

/// Whether what goes there may be emphasised: a terminal that knows how, and NO_COLOR is not set.
bool is_coloured(Stream);

/// Writes `text` at once. That it could not be written is kept for run_program() of standard output, and is
/// nobody's concern of standard error.
void print_text(Stream, std::string_view text);

template <class... Args>
void print(Stream stream, fmt::format_string<Args...> format, Args&&... args) {
  print_text(stream, fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void print(fmt::format_string<Args...> format, Args&&... args) {
  print(Stream::output, format, std::forward<Args>(args)...);
}

}  // namespace tallcache
