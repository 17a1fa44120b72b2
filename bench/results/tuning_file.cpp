#include "bench/results/tuning_file.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>
#include <limits>

#include "common/error.hpp"

namespace tallcache {
namespace {

constexpr std::string_view tuning_schema = "tallcache-tuning/1";

std::pair<const gpu::TunedField*, int> value_of(const std::string& name, const Json& number) {
  const gpu::TunedField& field = gpu::tuned_field(name);
  if (!number.is_number_integer()) throw Error(fmt::format("{} is no whole number", name));
  // Beyond 64 bits it is beyond any field.
  const bool is_large =
      number.is_number_unsigned() &&
      number.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<int>::max());
  const long long value = is_large ? std::numeric_limits<long long>::max() : number.get<long long>();
  if (const std::string fault = field.fault(value); !fault.empty()) throw Error(fault);
  return {&field, static_cast<int>(value)};
}

std::vector<gpu::TunedRecord> records_of(const Json& file) {
  if (!file.is_object() || file.value("schema", "") != tuning_schema)
    throw Error(fmt::format("it is no file of tuning ({})", tuning_schema));
  std::vector<gpu::TunedRecord> records;
  for (const Json& one : file.at("records")) {
    gpu::TunedRecord& record = records.emplace_back(gpu::TunedRecord{one.at("of").get<std::string>()});
    for (const auto& [name, number] : one.at("fields").items())
      record.values.push_back(value_of(name, number));
  }
  return records;
}

}  // namespace

Json to_json(const std::vector<gpu::TunedRecord>& records) {
  Json list = Json::array();
  for (const gpu::TunedRecord& record : records) {
    Json fields = Json::object();
    for (const auto& [field, value] : record.values) fields[std::string(field->name)] = value;
    list.push_back({{"of", record.of}, {"fields", std::move(fields)}});
  }
  return {{"schema", tuning_schema}, {"records", std::move(list)}};
}

std::vector<gpu::TunedRecord> read_tuning(const std::string& path) {
  const Json file = read_json(path);
  try {
    return records_of(file);
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", path, error.what()));
  } catch (const Json::exception& error) {
    throw Error(fmt::format("{}: {}", path, what_of(error)));
  }
}

void write_tuning(const std::string& path, const gpu::TunedRecord& record) {
  std::vector<gpu::TunedRecord> records;
  if (!is_stream(path) && std::filesystem::exists(path)) records = read_tuning(path);
  std::erase_if(records, [&](const gpu::TunedRecord& known) { return known.of == record.of; });
  records.push_back(record);
  write_json(path, to_json(records));
}

void use_tuning_of_environment() {
  const char* const path = std::getenv("TALLCACHE_TUNING");
  if (path && *path) gpu::use_records(read_tuning(path));
}

}  // namespace tallcache
