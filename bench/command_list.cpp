// tallcache list: the catalogue.
#include <fmt/format.h>

#include <memory>

#include "bench/commands.hpp"
#include "bench/json.hpp"
#include "common/catalogue.hpp"

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
      fmt::print("\n{}: {}\n", heading, variant->operation->what);
    }
    const std::string reason = variant->unavailable(), knobs = defaults(*variant);
    fmt::print("  {:<18} {}  {}{}\n", variant->name, to_string(variant->backend),
               variant->peer ? "[peer] " : "", variant->idea);
    fmt::print("  {:<18} {}; {}{}\n", "", elements(*variant, reason), variant->source,
               knobs.empty() ? "" : "; " + knobs);
    if (!reason.empty()) fmt::print("  {:<18} unavailable: {}\n", "", reason);
  }
}

}  // namespace

void add_list(CLI::App& app) {
  struct Options {
    std::string operation, json;
  };
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("list", "Every operation and its variants, and which can run here");
  command->add_option("operation", options->operation, "Only this operation");
  command->add_option("--json", options->json, "Write the list to FILE ('-': standard output)")
      ->type_name("FILE");
  command->footer("Example: tallcache list matmul");
  command->callback([options] {
    if (!options->operation.empty()) find_operation(options->operation);
    if (options->json.empty()) return print_catalogue(options->operation);
    Json list = Json::array();
    for (const Variant* variant : variants())
      if (options->operation.empty() || variant->operation->name == options->operation)
        list.push_back(to_json(*variant));
    write_json(options->json, list);
  });
}

}  // namespace tallcache
