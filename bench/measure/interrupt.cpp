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

volatile std::sig_atomic_t noted = 0;
void note(int signal) {
  noted = signal;
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}
}  // namespace

Interruptible::Interruptible(const std::string& path) {
  message =
      fmt::format("\ntallcache: interrupted; {} keeps what was measured, and running again resumes\n", path);
  std::signal(SIGINT, leave);
  std::signal(SIGTERM, leave);
}

NotedInterrupts::NotedInterrupts() {
  noted = 0;
  std::signal(SIGINT, note);
  std::signal(SIGTERM, note);
}

NotedInterrupts::~NotedInterrupts() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

bool is_interrupted() { return noted != 0; }

void stop_if_interrupted() {
  if (noted) throw Exit(128 + noted, "interrupted; what was measured until then is printed and kept");
}

Interruptible::~Interruptible() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

}  // namespace tallcache
