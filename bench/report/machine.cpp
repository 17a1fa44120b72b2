#include "bench/report/machine.hpp"

#include <fmt/format.h>

#include "bench/report/format.hpp"
#include "bench/report/kind.hpp"
#include "bench/report/limits.hpp"
#include "bench/report/machine_json.hpp"
#include "bench/report/machine_report.hpp"

namespace tallcache {
namespace {

// Of the devices that are no processors of the host.
std::string devices_text(std::span<const Record> limits) {
  std::string text, backend = "cpu";
  for (const Record& record : limits) {
    if (record.backend == "cpu" || record.operation == "clock") continue;
    if (record.backend != backend) text += fmt::format("\n{}, best round\n", backend_title(record.backend));
    backend = record.backend;
    const Quantity* rate = record.find("rate");
    text +=
        fmt::format("{:<34}{}\n", fmt::format("{}, {}", record.operation, record.element),
                    rate ? fmt::format("{:>9.1f} {}", rate->value, rate->unit)
                         : fmt::format("{}: {}", to_string(record.outcome.status), record.outcome.reason));
  }
  return text;
}

// Aligned columns, as a block of code in Markdown.
std::string full(const Document& document) {
  const auto machine = nlohmann::json(document.context).get<Machine>();
  return fmt::format("```\n{}{}```\n", report(machine), limits_text(document.limits));
}

}  // namespace

std::string limits_text(std::span<const Record> limits) {
  return report(limits_from(limits)) + devices_text(limits);
}

extern const ReportKind machine_report{.kind = "machine", .full = full};

}  // namespace tallcache
