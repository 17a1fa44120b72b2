#include "bench/results/profile.hpp"

namespace tallcache {

Profile profile_of(const Record& record) {
  const auto value = [&](const char* name) {
    const double found = record.value(name);
    if (std::isnan(found)) throw Error(fmt::format("{} is profiled without its {}", record.variant, name));
    return found;
  };
  const auto count = [&](const char* name) { return static_cast<std::uint64_t>(value(name)); };
  return {.work = value("work"),
          .span = value("span"),
          .burdened_span = value("burdened span"),
          .spawns = count("spawns"),
          .strands = count("strands"),
          .strands_on_span = count("strands along the span")};
}

void put_profile(Record& record, const Profile& profile, const std::string& unit, Origin origin,
                 const std::string& detail) {
  const auto put = [&](const char* name, double value, const std::string& in, Origin from,
                       const std::string& how) {
    record.quantities.push_back({.name = name, .unit = in, .value = value, .origin = from, .detail = how});
  };
  put("work", profile.work, unit, origin, detail);
  put("span", profile.span, unit, origin, detail);
  put("burdened span", profile.burdened_span, unit, origin, detail);
  const auto count = [&](const char* name, std::uint64_t value) {
    put(name, static_cast<double>(value), "1", Origin::model, "work-span profiler");
  };
  count("spawns", profile.spawns);
  count("strands", profile.strands);
  count("strands along the span", profile.strands_on_span);
}

void put_profile(Record& record, const Profile& profile, double burden, const std::string& burden_origin) {
  const std::string unit = record.conditions.at("profiled");
  if (unit == "access")
    put_profile(record, profile, unit, Origin::model, "one a strand, one an access of an element");
  else
    put_profile(record, profile, unit, Origin::clock, "run of the least work of several");
  record.quantities.push_back({.name = "burden",
                               .unit = unit,
                               .value = burden,
                               .origin = burden_origin == "measured here" ? Origin::clock : Origin::model,
                               .detail = burden_origin});
}

}  // namespace tallcache
