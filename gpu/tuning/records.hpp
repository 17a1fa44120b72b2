// Tuning as data: the records that give the fields of a tuning their values for a device, for its
// architecture, and for any.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpu/tuning/tuning.hpp"

namespace tallcache::gpu {

/// What is known of a field: a line of gpu/tuning/fields.def.
struct TunedField {
  std::string_view name;
  int Tuning::*value;
  int step;
  std::string_view what, timed;
  std::span<const int> tried;

  /// Why `number` is no value of it; empty where it is.
  std::string fault(long long number) const;
};

std::span<const TunedField> tuned_fields();
/// Throws Error with the nearest name.
const TunedField& tuned_field(std::string_view name);

/// The values of some fields for a device by its name ("NVIDIA H200"), an architecture ("sm_90"), or "any".
struct TunedRecord {
  std::string of;
  std::vector<std::pair<const TunedField*, int>> values{};
};

/// Those of gpu/tuning/records.def.
std::vector<TunedRecord> compiled_records();

/// Puts `tuning`'s own values into a record of the fields in which it differs from `base`.
TunedRecord difference(std::string of, const Tuning& base, const Tuning& tuning);

/// The name of an architecture, "sm_90", by its compute capability, "9.0".
std::string architecture_of(std::string_view compute_capability);

/// The record of a device, by its name and its compute capability: its own values, else its architecture's,
/// else those that run everywhere; before all of them the user's, in the same order.
Tuning tuning_for(std::string_view device, std::string_view compute_capability);
/// The same without the user's.
Tuning compiled_tuning_for(std::string_view device, std::string_view compute_capability);

/// From now on `records` come before the compiled ones. To be called before the first launch: a device's
/// tuning is made once. Throws Error on a value that its field cannot have.
void use_records(std::vector<TunedRecord> records);
/// Those of the last call.
const std::vector<TunedRecord>& user_records();

}  // namespace tallcache::gpu
