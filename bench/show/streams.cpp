#include "bench/show/streams.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>

#include "common/error.hpp"

namespace tallcache {
namespace {

// The first one on standard output.
int output_error = 0;

Verbosity chosen_verbosity = Verbosity::usual;

void open_closed_streams() {
  // open() takes the lowest number that is free. As gnulib's stdopen, it opens them for what they are not
  // used for.
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(descriptor, F_GETFD) < 0) open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

void require_printed() {
  std::cout.flush();
  const bool flushed = std::fflush(stdout) == 0;
  if (!flushed && !output_error) output_error = errno;
  if (!output_error && (std::ferror(stdout) || std::cout.bad()))
    output_error = EIO;  // nobody kept the reason
  if (output_error) throw Error(fmt::format("cannot write standard output: {}", std::strerror(output_error)));
}

bool is_standard_output(Stream stream) { return stream == Stream::output || stream == Stream::report; }

}  // namespace

int run_program(std::string_view name, const std::function<int()>& run) {
  open_closed_streams();
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    const int status = run();
    require_printed();
    return status;
  } catch (const Exit& exit) {
    print(Stream::error, "{}: {}\n", name, exit.what());
    return exit.status;
  } catch (const std::exception& error) {
    print(Stream::error, "{}: {}\n", name, error.what());
    return 1;
  }
}

void set_verbosity(Verbosity verbosity) { chosen_verbosity = verbosity; }
Verbosity verbosity() { return chosen_verbosity; }

bool is_coloured(Stream stream) {
  const char *const no_colour = std::getenv("NO_COLOR"), *const terminal = std::getenv("TERM");
  return isatty(is_standard_output(stream) ? STDOUT_FILENO : STDERR_FILENO) &&
         (!no_colour || *no_colour == 0) && terminal && std::string_view(terminal) != "dumb";
}

void print_text(Stream stream, std::string_view text) {
  const bool may_be_silent = stream == Stream::report || stream == Stream::progress;
  if (may_be_silent && chosen_verbosity == Verbosity::quiet) return;
  FILE* const file = is_standard_output(stream) ? stdout : stderr;
  const bool written =
      std::fwrite(text.data(), 1, text.size(), file) == text.size() && std::fflush(file) == 0;
  if (!written && file == stdout && !output_error) output_error = errno;
}

}  // namespace tallcache
