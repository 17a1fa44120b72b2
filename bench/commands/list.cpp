// tallcache list: the catalogue, the rows of the texts that it reproduces, and what its sources are.
#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "bench/commands/seeds.hpp"
#include "bench/measure/options.hpp"
#include "bench/measure/output.hpp"
#include "bench/results/json.hpp"
#include "bench/show/streams.hpp"
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

void print_catalogue(const std::string& operation) {
  std::string_view heading;
  const Variant* last = nullptr;
  for (const Variant* variant : variants()) {
    if (!operation.empty() && variant->operation->name != operation) continue;
    if (last && last->name == variant->name && last->operation->name == variant->operation->name) continue;
    last = variant;
    if (heading != variant->operation->name) {
      heading = variant->operation->name;
      print("\n{}: {}\n", heading, variant->operation->what);
    }
    const std::string reason = variant->unavailable(), params_text = defaults(*variant);
    print("  {:<18} {}  {}{}\n", variant->name, variant->backend, variant->peer ? "[peer] " : "",
          variant->idea);
    print("  {:<18} {}; {}{}\n", "", elements(*variant, reason), variant->source,
          params_text.empty() ? "" : "; " + params_text);
    if (variant->error_class != ErrorClass::standard)
      print("  {:<18} error class {}: {}\n", "", name_of(variant->error_class),
            bound_text(variant->error_class));
    if (!variant->uses.empty()) print("  {:<18} uses {}\n", "", variant->uses);
    if (!reason.empty()) print("  {:<18} unavailable: {}\n", "", reason);
  }
}

struct ListOptions {
  std::string operation, json;
  bool seeds = false, sources = false;
};

// `entries` to the file, or each as `render` has it.
void put(const ListOptions& options, const Json& entries, std::string (*render)(const Json&)) {
  if (!options.json.empty()) return write_json(options.json, entries);
  for (const Json& entry : entries) print("{}\n", render(entry));
}

void list_seeds(const ListOptions& options) {
  const Json index = seed_index(sources());
  if (options.operation.empty()) return put(options, index, render_seed);
  std::vector<std::string_view> ids;
  for (const Json& row : index) {
    if (row.at("id") == options.operation) return put(options, Json::array({row}), render_seed);
    ids.push_back(row.at("id").get_ref<const std::string&>());
  }
  throw Error(unknown_name("row", options.operation, ids));
}

void list_catalogue(const ListOptions& options) {
  if (!options.operation.empty()) find_operation(options.operation);
  if (options.json.empty()) {
    print_catalogue(options.operation);
    if (!options.operation.empty() && takes_keys(find_operation(options.operation)))
      print("\n{}", key_grammar());
    return;
  }
  Json list = Json::array();
  for (const Variant* variant : variants())
    if (options.operation.empty() || variant->operation->name == options.operation)
      list.push_back(to_json(*variant));
  write_json(options.json, list);
}

void list(const ListOptions& options) {
  if (options.sources) return put(options, cited_sources(sources()), render_source);
  options.seeds ? list_seeds(options) : list_catalogue(options);
}

}  // namespace

void add_list(CLI::App& app) {
  const auto [command, options] =
      add_command(app, list, "list", "Every operation and its variants, and which can run here",
                  "Example: tallcache list matmul\n         tallcache list --seeds M7");
  CLI::Option* const only = command->add_option("operation", options->operation,
                                                "Only this operation; with --seeds, only this row");
  CLI::Option* const seeds = command->add_flag(
      "--seeds", options->seeds,
      "The rows of the texts that the suite reproduces: what, where in the text, how to run "
      "it, or what is missing");
  command->add_flag("--sources", options->sources, "What is cited as a source: author, title and where")
      ->excludes(only)
      ->excludes(seeds);
  add_json(*command, options->json);
}

}  // namespace tallcache
