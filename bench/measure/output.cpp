#include "bench/measure/output.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <utility>

#include "bench/measure/options.hpp"
#include "bench/results/device_state.hpp"
#include "bench/show/streams.hpp"

namespace tallcache {

void add_json(CLI::App& command, std::string& path) {
  add_json_file(command, path);
  CLI::Option* const quiet = command.add_flag_callback(
      "--quiet", [] { set_verbosity(Verbosity::quiet); }, "Print nothing but errors: results are in FILE");
  command
      .add_flag_callback(
          "--verbose", [] { set_verbosity(Verbosity::verbose); },
          "Name each round, or each variant that is counted, on standard error")
      ->excludes(quiet);
}

void add_json_file(CLI::App& command, std::string& path) {
  add_output_file(command, "--json", path, "Write the results to FILE as JSON ('-': standard output)");
}

Output::Output(std::string path) : path_(std::move(path)) { require_writable(path_); }

void Output::show(const std::string& text) const {
  print(path_ == "-" ? Stream::progress : Stream::report, "{}\n", text);
}

void Output::part(const Document& document, const std::string& text) const {
  show(text);
  keep(document);
}

void Output::keep(const Document& document) const {
  if (!path_.empty() && !is_stream(path_)) write_document(path_, document);
}

void Output::devices(const Document& document) const {
  if (const std::string text = device_state_text(document); !text.empty()) part(document, text);
}

void Output::finish(const Document& document) const {
  if (!path_.empty()) write_document(path_, document);
  require_right(document.measurements);
}

}  // namespace tallcache
