#include "bench/show/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "bench/results/device_state.hpp"
#include "bench/results/provenance.hpp"

namespace tallcache {

std::string duration(double seconds) {
  if (std::isnan(seconds)) return "-";
  const auto [unit, each] = seconds >= 1      ? std::pair("s", 1.0)
                            : seconds >= 1e-3 ? std::pair("ms", 1e3)
                            : seconds >= 1e-7 ? std::pair("us", 1e6)
                                              : std::pair("ns", 1e9);
  return fmt::format("{:.4g} {}", seconds * each, unit);
}

std::string percent(double share, int decimals) {
  return std::isnan(share) ? "-" : fmt::format("{:.{}f} %", share * 100, decimals);
}

std::string as_title(std::string caption) {
  if (caption.ends_with(':')) caption.pop_back();
  return caption;
}

std::string class_notes(std::span<const Record* const> records) {
  std::string notes;
  for (const ErrorClass error_class : error_classes)
    if (error_class != ErrorClass::standard &&
        std::ranges::any_of(records, [&](const Record* r) { return r && r->error_class == error_class; }))
      notes += fmt::format("{}{}: errors up to {}.", notes.empty() ? "" : " ", name_of(error_class),
                           bound_text(error_class));
  return notes.empty() ? notes
                       : fmt::format("Compared within a class of errors; without one named, {}. {}",
                                     bound_text(ErrorClass::standard), notes);
}

std::string machine_line(const Document& document) {
  const Json& context = document.context;
  const Json& build = context.at("build");
  std::string processors = context.at("cpu");
  if (const Json cores = context.value("usable_cores", Json()); cores.is_number())
    processors += fmt::format(", {} core{}", cores.get<int>(), cores == 1 ? "" : "s");
  // The GPU is left out where it does not contribute to the figures.
  const auto on_device = [](const Record& record) { return record.backend != "cpu"; };
  if (std::ranges::any_of(document.measurements, on_device))
    for (const Json& gpu : context.value("gpus", Json::array()))
      processors += " and " + gpu.at("name").get<std::string>();
  return fmt::format("{} ({}, {}, commit {}{})", processors, build.at("compiler").get<std::string>(),
                     build.at("flags").get<std::string>(), short_commit(build),
                     context.contains("mode") ? ", " + context["mode"].get<std::string>() + " sizes" : "");
}

std::string measured_on(const Document& document) {
  const std::string throttling = throttling_text(document);
  return fmt::format("On {}{}{}:\n", machine_line(document), throttling.empty() ? "" : "; ", throttling);
}

}  // namespace tallcache
