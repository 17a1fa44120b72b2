#include "bench/tables/counted_records.hpp"

#include <fmt/format.h>

#include <cmath>

namespace tallcache {

void add_profile(Record& record, const Profile& profile, const std::string& unit, Origin origin,
                 const std::string& detail) {
  const auto cost = [&](const char* name, double value) {
    record.quantities.push_back(
        {.name = name, .unit = unit, .value = value, .origin = origin, .detail = detail});
  };
  const auto count = [&](const char* name, std::uint64_t value) {
    add_count(record, name, static_cast<double>(value), Origin::model, "fork-join graph");
  };
  cost("work", profile.work);
  cost("span", profile.span);
  cost("burdened span", profile.burdened_span);
  count("spawns", profile.spawns);
  count("strands", profile.strands);
  count("strands on span", profile.strands_on_span);
}

Profile profile_of(const Record& record) {
  const auto value = [&](const char* name) {
    const double found = record.value(name);
    if (std::isnan(found)) throw Error(fmt::format("{} has no {}", record.row, name));
    return found;
  };
  const auto count = [&](const char* name) { return static_cast<std::uint64_t>(value(name)); };
  return {.work = value("work"),
          .span = value("span"),
          .burdened_span = value("burdened span"),
          .spawns = count("spawns"),
          .strands = count("strands"),
          .strands_on_span = count("strands on span")};
}

}  // namespace tallcache
