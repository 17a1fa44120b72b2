#include "bench/commands/output.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <utility>

#include "bench/report/device_state.hpp"

namespace tallcache {

void add_json(CLI::App& command, std::string& path) {
  command.add_option("--json", path, "Write the measurements to FILE ('-': standard output)")
      ->type_name("FILE");
}

Output::Output(std::string path) : path_(std::move(path)) { require_writable(path_); }

void Output::part(const Document& document, const std::string& text) const {
  FILE* const out = path_ == "-" ? stderr : stdout;
  fmt::print(out, "{}\n", text);
  std::fflush(out);
  keep(document);
}

void Output::keep(const Document& document) const {
  if (!path_.empty() && path_ != "-") write_document(path_, document);
}

void Output::devices(const Document& document) const {
  if (const std::string text = device_state_text(document); !text.empty()) part(document, text);
}

void Output::finish(const Document& document) const {
  if (!path_.empty()) write_document(path_, document);
  require_right(document.measurements);
}

}  // namespace tallcache
