#include "bench/show/machine.hpp"

#include <fmt/format.h>

#include <array>

#include "bench/results/limits.hpp"
#include "bench/results/machine_json.hpp"
#include "bench/show/format.hpp"
#include "bench/show/machine_report.hpp"

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

// The median rates of one kind of limit, with their median absolute deviations.
Ranking limits_ranking(const Document& document, std::string_view operation, const char* title,
                       const char* unit) {
  Ranking ranking{.title = title, .x = unit, .value_name = "median"};
  for (const Record& record : document.limits) {
    const Quantity* rate = record.find("median rate");
    if (!rate) rate = record.find("rate");
    if (record.operation != operation || !rate || !(rate->value > 0)) continue;
    const std::string where = record.backend != "cpu" ? backend_title(record.backend)
                              : record.threads == 1   ? "one core"
                                                      : fmt::format("{} cores", record.threads);
    ranking.items.push_back(
        {.name = fmt::format("{}, {}", record.element == "byte" ? record.variant : record.element, where),
         .family = Family::theory,
         .value = rate->value,
         .low = rate->value - rate->spread,
         .high = rate->value + rate->spread});
  }
  return ranking;
}

}  // namespace

std::string limits_text(std::span<const Record> limits) {
  return report(limits_from(limits)) + devices_text(limits);
}

Blocks machine_blocks(const Document& document) {
  Blocks blocks;
  for (Ranking& ranking :
       std::array{limits_ranking(document, "multiply_add", "Multiply-adds from registers", "GFLOP/s"),
                  limits_ranking(document, "memory_traffic", "Traffic with main memory", "GB/s")})
    if (!ranking.items.empty()) blocks.emplace_back(std::move(ranking));
  // Older documents describe less of the machine.
  if (document.context.contains("counters"))
    blocks.emplace_back(Listing{"Topology, caches, build and counters",
                                report(nlohmann::json(document.context).get<Machine>())});
  if (!document.limits.empty())
    blocks.emplace_back(Listing{"Peaks, bandwidths and balance", limits_text(document.limits)});
  return blocks;
}

}  // namespace tallcache
