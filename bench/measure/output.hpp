// The output of a command.
#pragma once

#include <string>

#include "bench/measure/interrupt.hpp"
#include "bench/results/document.hpp"

namespace CLI {
class App;
}

namespace tallcache {

/// Adds --json FILE, --quiet and --verbose to a command.
void add_json(CLI::App& command, std::string& path);
/// Adds --json FILE alone.
void add_json_file(CLI::App& command, std::string& path);

/// Text goes to standard output, the document to the file that --json names, if any. "-" is standard output:
/// then text goes to standard error. A device or a pipe gets the document once, when it is finished.
class Output {
 public:
  /// Throws Error, before anything is measured, when the file cannot be written.
  explicit Output(std::string path);

  /// Prints `text`, what one part of the document says.
  void show(const std::string& text) const;
  /// The same, and keeps the document as far as it is.
  void part(const Document&, const std::string& text) const;

  /// Writes the document as far as it is, which stays when the next part fails. Nothing where it could not be
  /// replaced by more.
  void keep(const Document&) const;

  /// Prints the state of the devices that took part, a line each, and writes the file; nothing where
  /// none did.
  void devices(const Document&) const;

  /// Writes the document, and then throws Error when one of its results is wrong.
  void finish(const Document&) const;

 private:
  std::string path_;
  NotedInterrupts noted_{};
};

}  // namespace tallcache
