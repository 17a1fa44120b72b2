#include "bench/results/names.hpp"

#include <fmt/format.h>

namespace tallcache {

double measured_seconds(const Record* record) {
  return record && record->outcome.measured() ? record->seconds() : no_value;
}

std::string reason_of(const Record* record) {
  return record && !record->outcome.reason.empty() ? record->outcome.reason : "not measured";
}

std::string sizes_text(const Json& shape, std::string_view equals, std::string_view between) {
  std::string text;
  for (const auto& [name, size] : shape.items())
    if (name != "pad" || size != 0)
      text += fmt::format("{}{}{}{}", text.empty() ? "" : between, name, equals, size.get<Index>());
  return text;
}

std::string params_text(const Record& record) {
  return (record.params.empty() ? "" : " ") + sizes_text(record.params, "=", ",");
}

std::string with_class(std::string_view variant, ErrorClass error_class) {
  return error_class == ErrorClass::standard ? std::string(variant)
                                             : fmt::format("{} ({})", variant, name_of(error_class));
}

std::string variant_name(const Record& record) {
  return with_class(record.variant, record.error_class) +
         (record.launch() == LaunchMode::graph ? ", graph" : "");
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

std::string run_name(const Record& record) {
  std::string text = fmt::format("{}{} {}", record.operation,
                                 record.element.empty() ? "" : " " + record.element, name_of(record));
  for (const Json* sizes : {&record.shape, &record.params})
    if (!sizes->empty()) text += ", " + sizes_text(*sizes);
  if (!record.input.empty()) text += ", " + record.input;
  for (const auto& [name, value] : record.conditions.items())
    if (name != "launch")
      text += fmt::format(", {} {}", name, value.is_string() ? value.get<std::string>() : value.dump());
  if (!record.row.empty()) text += fmt::format(" [{}]", record.row);
  return text;
}

}  // namespace tallcache
