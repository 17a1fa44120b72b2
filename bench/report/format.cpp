#include "bench/report/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/report/device_state.hpp"
#include "bench/report/kind.hpp"

namespace tallcache {

double measured_seconds(const Record* record) {
  return record && record->outcome.measured() ? record->seconds() : no_value;
}

std::string reason_of(const Record* record) {
  return record && !record->outcome.reason.empty() ? record->outcome.reason : "not measured";
}

std::string percent(double share, int decimals) {
  return std::isnan(share) ? "-" : fmt::format("{:.{}f} %", share * 100, decimals);
}

std::string sizes_text(const Json& shape, std::string_view equals, std::string_view between) {
  std::string text;
  for (const auto& [name, size] : shape.items())
    if (name != "pad" || size != 0)
      text += fmt::format("{}{}{}{}", text.empty() ? "" : between, name, equals, size.get<Index>());
  return text;
}

std::string with_class(std::string_view variant, ErrorClass error_class) {
  return error_class == ErrorClass::standard ? std::string(variant)
                                             : fmt::format("{} ({})", variant, name_of(error_class));
}

std::string variant_name(const Record& record) {
  return with_class(record.variant, record.error_class) +
         (record.launch() == LaunchMode::graph ? ", graph" : "");
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

std::string name_of(const Record& record) {
  return fmt::format("{} {}{}", record.backend, variant_name(record),
                     record.threads > 1 ? fmt::format(", {} threads", record.threads) : "");
}

std::string backend_title(std::string_view backend) {
  return backend == "cpu" ? "CPU" : backend == "gpu" ? "GPU" : std::string(backend);
}

std::string rate_title(std::span<const Record* const> records) {
  for (const Record* record : records)
    if (record && !record->rate_unit().empty()) return record->rate_unit();
  return "rate";
}

std::string measured_on(const Document& document) {
  const std::string throttling = throttling_text(document);
  return fmt::format("On {}{}{}:\n", machine_line(document), throttling.empty() ? "" : "; ", throttling);
}

}  // namespace tallcache
