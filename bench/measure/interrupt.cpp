#include "bench/measure/interrupt.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>

namespace tallcache {
namespace {
// Composed beforehand: a handler may only write(2) and leave.
std::string message;

void leave(int signal) {
  [[maybe_unused]] const auto written = write(STDERR_FILENO, message.data(), message.size());
  _exit(128 + signal);
}
}  // namespace

Interruptible::Interruptible(const std::string& path) {
  message =
      fmt::format("\ntallcache: interrupted; {} keeps what was measured, and running again resumes\n", path);
  std::signal(SIGINT, leave);
  std::signal(SIGTERM, leave);
}

Interruptible::~Interruptible() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

}  // namespace tallcache
