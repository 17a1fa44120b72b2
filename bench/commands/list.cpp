// tallcache list: the catalogue, the rows of the texts that it reproduces, and what its sources are.
#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>
#include <utility>

#include "bench/commands/topics.hpp"
#include "bench/measure/options.hpp"
#include "bench/measure/output.hpp"
#include "bench/results/device_text.hpp"
#include "bench/results/json.hpp"
#include "bench/show/fit.hpp"
#include "bench/show/streams.hpp"
#include "bench/suites/by_name.hpp"
#include "common/backend.hpp"
#include "common/catalogue.hpp"
#include "common/key_inputs.hpp"

namespace tallcache {
namespace {

// "tile_m=64,tile_n=64"
std::string defaults(const Variant& variant) { return to_string(complete_params(variant, {})); }

// Element types that differ in nothing else share a line.
std::string elements(const Variant& variant, const std::string& reason) {
  std::string list;
  for (const Variant* other : variants())
    if (other->operation->name == variant.operation->name && other->name == variant.name &&
        other->backend == variant.backend && other->unavailable() == reason)
      list += (list.empty() ? "" : " ") + std::string(other->operation->element);
  return list;
}

constexpr std::size_t name_width = 24;

// What is said of a variant, behind its name, broken where the terminal ends.
void print_line(std::string_view name, const std::string& text) {
  for (const std::string& line : lines_of(text, line_width() - name_width - 2))
    print("  {:<{}}{}\n", std::exchange(name, ""), name_width, line);
}

void print_variant(const Variant& variant, const std::string& reason, bool says_reason) {
  const std::string params_text = defaults(variant);
  print_line(variant.name, std::string(variant.idea));
  print_line("", fmt::format("{}; {}{}", elements(variant, reason), variant.source,
                             params_text.empty() ? "" : "; " + params_text));
  if (variant.error_class != ErrorClass::standard)
    print_line(
        "", fmt::format("error class {}: {}", name_of(variant.error_class), bound_text(variant.error_class)));
  if (is_device_text(variant)) print_line("", "device text: the model on the host cannot run it");
  if (!variant.uses.empty()) print_line("", fmt::format("uses {}", variant.uses));
  if (says_reason && !reason.empty()) print_line("", "unavailable: " + reason);
}

// The reason why a device can run none of its variants here; empty where it runs some.
std::string reason_of_all(const Backend& backend) {
  std::string common;
  for (const Variant* variant : backend.variants()) {
    const std::string reason = variant->unavailable();
    if (reason.empty()) return {};
    if (common.empty() && !variant->peer) common = reason;
  }
  return backend.host ? "" : common;
}

// The names of variants that are shown; all where it is empty.
using Shown = std::set<std::string_view>;

bool is_shown(const Variant& variant, const Shown& shown) {
  return shown.empty() || shown.contains(variant.name);
}

// The suite's variants of an operation on a backend, or the libraries beside them.
void print_group(std::string_view operation, const Backend& backend, bool peers, const Shown& shown) {
  const std::string none = reason_of_all(backend);
  std::set<std::string_view> seen;
  for (const Variant* variant : backend.variants()) {
    if (variant->operation->name != operation || variant->peer != peers || !is_shown(*variant, shown) ||
        !seen.insert(variant->name).second)
      continue;
    if (seen.size() == 1)
      print("\n {}{}{}:\n", backend.title, peers ? ", libraries" : "",
            none.empty() ? "" : " (unavailable here: " + none + ")");
    print_variant(*variant, variant->unavailable(), none.empty());
  }
}

// By operation, then by backend, the libraries behind the suite's own.
void print_catalogue(std::span<const std::string_view> names, const Shown& shown) {
  std::string_view before;
  for (const std::string_view name : names) {
    const Operation& operation = find_operation(name);
    print("{}{}\n", before.empty() ? "" : "\n",
          wrapped(fmt::format("{}: {}", name, operation.what), line_width(), 2));
    for (const Backend* backend : backends())
      for (const bool peers : {false, true}) print_group(name, *backend, peers, shown);
    before = name;
  }
}

// The operations that `asked` names or, as a pattern, matches; all where it is empty.
std::vector<std::string_view> operation_names(const std::string& asked) {
  std::vector<std::string_view> all, found;
  for (const Operation* operation : operations())
    if (std::ranges::find(all, operation->name) == all.end()) all.push_back(operation->name);
  if (asked.empty()) return all;
  for (const std::size_t place : places_of(asked, all, "operation")) found.push_back(all[place]);
  return found;
}

// The variants of these operations that `asked` names or, as patterns, matches.
Shown variant_names(std::span<const std::string_view> operations, std::span<const std::string> asked) {
  std::vector<std::string_view> all;
  for (const Variant* variant : variants())
    if (std::ranges::find(operations, variant->operation->name) != operations.end() &&
        std::ranges::find(all, variant->name) == all.end())
      all.push_back(variant->name);
  Shown shown;
  for (const std::string& name : asked)
    for (const std::size_t place : places_of(name, all, "variant")) shown.insert(all[place]);
  return shown;
}

struct ListOptions {
  std::string operation, json;
  std::vector<std::string> variants;
  bool topics = false, sources = false;
};

// `entries` to the file, or each as `render` has it.
void put(const ListOptions& options, const Json& entries, std::string (*render)(const Json&)) {
  if (!options.json.empty()) return write_json(options.json, entries);
  for (const Json& entry : entries) print("{}\n", render(entry));
}

void list_topics(const ListOptions& options) {
  const Json index = topic_index(sources());
  if (options.operation.empty()) return put(options, index, render_topic);
  std::vector<std::string_view> ids;
  for (const Json& row : index) {
    if (row.at("id") == options.operation) return put(options, Json::array({row}), render_topic);
    ids.push_back(row.at("id").get_ref<const std::string&>());
  }
  throw Error(unknown_name("row", options.operation, ids));
}

void list_catalogue(const ListOptions& options) {
  const auto names = operation_names(options.operation);
  const Shown shown = variant_names(names, options.variants);
  if (options.json.empty()) {
    print_catalogue(names, shown);
    if (!options.operation.empty() && takes_keys(find_operation(names.front()))) print("\n{}", key_grammar());
    return;
  }
  Json list = Json::array();
  for (const Variant* variant : variants())
    if (std::ranges::find(names, variant->operation->name) != names.end() && is_shown(*variant, shown))
      list.push_back(to_json(*variant));
  write_json(options.json, list);
}

void list(const ListOptions& options) {
  if (options.sources) return put(options, cited_sources(sources()), render_source);
  options.topics ? list_topics(options) : list_catalogue(options);
}

}  // namespace

void add_list(CLI::App& app) {
  const auto [command, options] =
      add_command(app, list, "list", "Every operation and its variants, and which can run here",
                  "Example: tallcache list matmul\n"
                  "         tallcache list 'transpose*'\n         tallcache list matmul 'rec*'\n"
                  "         tallcache list --topics M7");
  CLI::Option* const only = command->add_option("operation", options->operation,
                                                "Only this operation, or those of a pattern as 'matmul*'; "
                                                "with --topics, only this row");
  CLI::Option* const only_variants =
      command->add_option("variants", options->variants, "Only these variants of it, or those of patterns");
  CLI::Option* const topics = command->add_flag(
      "--topics", options->topics,
      "The rows of the texts that the suite reproduces: what, where in the text, how to run "
      "it, or what is missing");
  topics->excludes(only_variants);
  command->add_flag("--sources", options->sources, "What is cited as a source: author, title and where")
      ->excludes(only)
      ->excludes(topics);
  add_json_file(*command, options->json);
}

}  // namespace tallcache
