#include "bench/measure/suite_run.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <exception>

#include "bench/measure/context.hpp"
#include "bench/measure/host_options.hpp"
#include "bench/measure/options.hpp"
#include "bench/results/limits.hpp"
#include "common/backend.hpp"

namespace tallcache {

void add_suite(CLI::App& command, SuiteOptions& options, SuitePredicate has_part) {
  command.add_option("OPERATION", options.operations,
                     fmt::format("{}; all of them by default", fmt::join(operations_with(has_part), ", ")));
  command.add_flag("--smoke", options.smoke)->group("");
  add_seed(command, options.seed);
  add_host(command);
  add_json(command, options.json);
}

void add_backend(CLI::App& command, SuiteOptions& options) {
  command.add_option("--backend", options.backend, "The backend whose variants are measured: cpu or gpu")
      ->capture_default_str();
  add_device(command, options.device, "Number of its device");
}

namespace {

// A machine without the device has nothing to measure there: one line in place of one a variant.
void require_backend(const SuiteOptions& options) {
  const Backend& backend = find_backend(options.backend);
  if (backend.host) return;
  if (const std::string fault = backend.device_fault(options.device); !fault.empty())
    throw Error(fmt::format("the {} cannot be used: {}", backend.title, fault), Status::unavailable);
  if (!backend.devices().empty()) return;
  const std::string reason = backend.variants().front()->unavailable();
  throw Error(fmt::format("the {} cannot be used: {}", backend.title, reason), Status::unavailable);
}

}  // namespace

SuiteRun::SuiteRun(std::string_view kind, const SuiteOptions& options, SuitePredicate has_part,
                   std::string_view what)
    : options_(options),
      suites_(find_suites(options.operations, has_part, what)),
      output_(options.json),
      watch_(options.device) {
  require_backend(options);
  document = {.kind = std::string(kind), .context = machine_context(options.device)};
  document.context["mode"] = to_string(options.scale());
  document.context["seed"] = options.seed;
}

void SuiteRun::measure_limits() {
  document.limits = measured_limits(options_.smoke ? LimitsProtocol::smoke() : LimitsProtocol::quick(),
                                    options_.device, [](std::string_view) {
                                      stop_if_interrupted();
                                      return true;
                                    });
}

// What was put into the document since belongs to a row that is not whole.
SuiteRun::~SuiteRun() {
  if (is_written_) return;
  try {
    document.measurements.resize(kept_);
    output_.keep(document);
  } catch (const std::exception&) {  // the error that ends the run is told
  }
}

// A write takes as long as the whole document is large.
void SuiteRun::keep() {
  watch_.note(document);
  kept_ = document.measurements.size();
  const auto begin = std::chrono::steady_clock::now();
  is_written_ = begin >= next_write_;
  if (!is_written_) return;
  output_.keep(document);
  const auto end = std::chrono::steady_clock::now();
  next_write_ = end + 20 * (end - begin);
}

void SuiteRun::part(const std::string& text) {
  output_.show(text);
  keep();
}

void SuiteRun::finish() {
  if (document.plan.empty())
    throw Error(fmt::format("no {} on the {} of what was asked for", document.kind,
                            find_backend(options_.backend).title));
  output_.devices(document);
  is_written_ = true;
  output_.finish(document);
}

}  // namespace tallcache
