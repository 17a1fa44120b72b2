// Ctrl-C while measuring: one line that names the results file, and exit status 128 + signal.
#pragma once

#include <string>

namespace tallcache {

/// While it lives, SIGINT and SIGTERM end the program, saying that `path` keeps what was measured.
class Interruptible {
 public:
  explicit Interruptible(const std::string& path);
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;
};

}  // namespace tallcache
