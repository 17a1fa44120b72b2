#include "gpu/tuning/records.hpp"

#include <algorithm>
#include <array>

#include "common/catalogue.hpp"
#include "common/error.hpp"

namespace tallcache::gpu {
namespace {

#define TALLCACHE_TUNED(name, any, step, what, timed, ...) constexpr int tried_##name[] = {__VA_ARGS__};
#include "gpu/tuning/fields.def"
#undef TALLCACHE_TUNED

constexpr TunedField fields[] = {
#define TALLCACHE_TUNED(name, any, step, what, timed, ...) \
  {#name, &Tuning::name, step, what, timed, tried_##name},
#include "gpu/tuning/fields.def"
#undef TALLCACHE_TUNED
};

struct Line {
  std::string_view of;
  int Tuning::*field;
  int value;
};
constexpr Line lines[] = {
#define TALLCACHE_TUNED_FOR(of, field, value) {of, &Tuning::field, value},
#include "gpu/tuning/records.def"
#undef TALLCACHE_TUNED_FOR
};

const TunedField& field_of(int Tuning::*member) {
  return *std::ranges::find(fields, member, &TunedField::value);
}

std::vector<TunedRecord>& records_of_user() {
  static std::vector<TunedRecord> records;
  return records;
}

// Of any device first, then of the architecture, then of the device itself.
void put(Tuning& tuning, const std::vector<TunedRecord>& records, std::string_view device,
         std::string_view compute_capability) {
  const std::string architecture = architecture_of(compute_capability);
  for (const std::string_view of : {std::string_view("any"), std::string_view(architecture), device})
    for (const TunedRecord& record : records)
      if (record.of == of)
        for (const auto& [field, value] : record.values) tuning.*field->value = value;
}

}  // namespace

std::string TunedField::fault(long long number) const {
  const auto text = std::string(name) + " = " + std::to_string(number);
  if (number < tried.front() || number > tried.back())
    return text + " is not from " + std::to_string(tried.front()) + " to " + std::to_string(tried.back());
  return number % step == 0 ? "" : text + " is no multiple of " + std::to_string(step);
}

std::span<const TunedField> tuned_fields() { return fields; }

const TunedField& tuned_field(std::string_view name) {
  const auto found = std::ranges::find(fields, name, &TunedField::name);
  if (found != std::end(fields)) return *found;
  std::vector<std::string_view> names;
  for (const TunedField& field : fields) names.push_back(field.name);
  throw Error(unknown_name("tuned field", name, names));
}

std::vector<TunedRecord> compiled_records() {
  std::vector<TunedRecord> records;
  for (const Line& line : lines) {
    auto known = std::ranges::find(records, line.of, &TunedRecord::of);
    if (known == records.end()) known = records.insert(known, {std::string(line.of)});
    known->values.emplace_back(&field_of(line.field), line.value);
  }
  return records;
}

TunedRecord difference(std::string of, const Tuning& base, const Tuning& tuning) {
  TunedRecord record{std::move(of)};
  for (const TunedField& field : fields)
    if (base.*field.value != tuning.*field.value) record.values.emplace_back(&field, tuning.*field.value);
  return record;
}

std::string architecture_of(std::string_view compute_capability) {
  std::string digits(compute_capability);
  std::erase(digits, '.');
  return "sm_" + digits;
}

Tuning tuning_for(std::string_view device, std::string_view compute_capability) {
  Tuning tuning = compiled_tuning_for(device, compute_capability);
  put(tuning, records_of_user(), device, compute_capability);
  return tuning;
}
Tuning compiled_tuning_for(std::string_view device, std::string_view compute_capability) {
  Tuning tuning;
  put(tuning, compiled_records(), device, compute_capability);
  return tuning;
}

void use_records(std::vector<TunedRecord> records) {
  for (const TunedRecord& record : records)
    for (const auto& [field, value] : record.values)
      if (const std::string fault = field->fault(value); !fault.empty())
        throw Error("tuning of " + record.of + ": " + fault);
  records_of_user() = std::move(records);
}

const std::vector<TunedRecord>& user_records() { return records_of_user(); }

}  // namespace tallcache::gpu
