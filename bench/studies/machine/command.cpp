// tallcache machine: what this machine is, and what it can reach.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <string>

#include "bench/measure/context.hpp"
#include "bench/measure/device_watch.hpp"
#include "bench/measure/host_options.hpp"
#include "bench/measure/interrupt.hpp"
#include "bench/measure/options.hpp"
#include "bench/measure/output.hpp"
#include "bench/results/device_state.hpp"
#include "bench/results/document.hpp"
#include "bench/results/limits.hpp"
#include "bench/show/machine.hpp"
#include "bench/show/machine_report.hpp"
#include "bench/show/streams.hpp"

namespace tallcache {
namespace {

struct MachineOptions {
  std::string json;
  bool quick = false;
};

void describe_machine(const MachineOptions& options) {
  require_writable(options.json);
  const NotedInterrupts noted;
  const bool text = options.json != "-";
  Machine machine = this_machine();
  machine.peers = peer_libraries();
  if (text) print_text(Stream::report, report(machine));

  const bool terminal = isatty(STDERR_FILENO);
  const DeviceWatch watch(0);
  const LimitsProtocol protocol = options.quick ? LimitsProtocol::quick() : LimitsProtocol{};
  const auto limits = measured_limits(protocol, 0, [&](std::string_view what) {
    if (terminal) print(Stream::progress, "\r\033[Kmeasuring: {} ...", what);
    return !is_interrupted();
  });
  if (terminal) print(Stream::progress, "\r\033[K");
  Document document{.kind = "machine", .context = machine_context(), .limits = limits};
  document.context["peers"] = machine.peers;
  watch.note(document);
  if (text) print_text(Stream::report, limits_text(document.limits));
  if (const std::string states = device_state_text(document); text && !states.empty())
    print(Stream::report, "\nState before and after\n{}", states);
  if (!options.json.empty()) write_document(options.json, document);
  stop_if_interrupted();
}

}  // namespace

void add_machine(CLI::App& app) {
  const auto [command, options] =
      add_command(app, describe_machine, "machine",
                  "What this machine is (topology, SIMD, counters, build) and its measured limits",
                  "Example:\n  tallcache machine --quick --json machine.json");
  add_host(*command);
  add_json(*command, options->json);
  command->add_flag("--quick", options->quick, "Fewer and shorter rounds: about 3 seconds on two cores");
}

}  // namespace tallcache
