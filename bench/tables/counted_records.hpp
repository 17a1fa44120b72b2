// Records of a table's own counts and times.
#pragma once

#include <string>
#include <utility>

#include "bench/results/record.hpp"

namespace tallcache {

/// A measured record of the CPU, on one thread, without quantities.
inline Record measured_record(std::string operation, std::string variant, std::string element, Json shape) {
  Record record{.operation = std::move(operation),
                .variant = std::move(variant),
                .backend = "cpu",
                .element = std::move(element)};
  record.shape = std::move(shape);
  record.outcome.status = Status::measured;
  return record;
}

/// Adds a count; `detail` names its source.
inline void add_count(Record& record, std::string name, double value, Origin origin, std::string detail,
                      Json at = Json::object()) {
  record.quantities.push_back({.name = std::move(name),
                               .unit = "1",
                               .value = value,
                               .origin = origin,
                               .detail = std::move(detail),
                               .at = std::move(at)});
}

}  // namespace tallcache
