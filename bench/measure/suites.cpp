#include "bench/measure/suites.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "bench/measure/context.hpp"
#include "bench/measure/options.hpp"
#include "bench/measure/output.hpp"
#include "bench/results/limits.hpp"

namespace tallcache {

void add_suite(CLI::App& command, SuiteOptions& options, SuitePredicate has_part) {
  command.add_option("OPERATION", options.operations,
                     fmt::format("{}; all of them by default", fmt::join(operations_with(has_part), ", ")));
  command.add_flag("--smoke", options.smoke)->group("");
  add_seed(command, options.seed);
  add_json(command, options.json);
}

void add_backend(CLI::App& command, SuiteOptions& options) {
  command.add_option("--backend", options.backend, "The backend whose variants are measured: cpu or gpu")
      ->capture_default_str();
  add_device(command, options.device, "Number of its device");
}

Document new_document(std::string_view kind, const SuiteOptions& options) {
  Document document{.kind = std::string(kind), .context = machine_context(options.device)};
  document.context["mode"] = to_string(options.scale());
  document.context["seed"] = options.seed;
  return document;
}

std::vector<Record> suite_limits(const SuiteOptions& options) {
  return measured_limits(options.smoke ? LimitsProtocol::smoke() : LimitsProtocol::quick(), options.device);
}

}  // namespace tallcache
