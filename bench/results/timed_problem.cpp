#include "bench/results/timed_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace tallcache {
namespace {

constexpr std::array<std::string_view, 12> problem_keys{"row",         "operation", "backend", "element",
                                                        "shape",       "input",     "threads", "conditions",
                                                        "error_class", "work",      "traffic", "times"};
constexpr std::array<std::string_view, 8> time_keys{"variant", "peer",   "params", "runs_as",
                                                    "time",    "spread", "phases", "samples"};

Json quantity(const char* name, Json unit, Json value, const char* source) {
  return {{"name", name}, {"unit", std::move(unit)}, {"value", std::move(value)}, {"source", source}};
}

// A value by `origin` and nothing else that is said of it, but where it belongs.
bool is_plain(const Quantity& q, std::string_view name, Origin origin) {
  return q.name == name && q.origin == origin && q.detail.empty() && q.reason.empty() && !std::isnan(q.value);
}

bool is_phase(const Quantity& q) {
  return is_plain(q, "time", Origin::clock) && q.at.size() == 1 && q.at.contains("phase") &&
         std::isnan(q.spread) && q.samples.empty();
}

bool is_counted(const Quantity& q, std::string_view name) {
  return is_plain(q, name, Origin::formula) && q.at.empty() && std::isnan(q.spread) && q.samples.empty();
}

// Whether an object has a place for all that the record has.
bool is_held(const Record& record) {
  const std::vector<Quantity>& all = record.quantities;
  const bool plain = record.outcome.measured() && record.outcome.reason.empty() && record.stores_class &&
                     !record.row.empty() && all.size() >= 3;
  if (!plain || !is_plain(all.front(), "time", Origin::clock) || !all.front().at.empty()) return false;
  const auto counted = all.end() - 2;
  return std::all_of(all.begin() + 1, counted, is_phase) && is_counted(counted[0], "work") &&
         is_counted(counted[1], "traffic");
}

bool same_problem(const Record& a, const Record& b) {
  const Quantity &work = *a.find("work"), &other = *b.find("work");
  return a.row == b.row && a.operation == b.operation && a.backend == b.backend && a.element == b.element &&
         a.shape == b.shape && a.input == b.input && a.threads == b.threads && a.conditions == b.conditions &&
         a.error_class == b.error_class && work.unit == other.unit && work.value == other.value &&
         a.value("traffic") == b.value("traffic");
}

// What one variant has of its problem.
Json time_of(const Record& record) {
  const Quantity& whole = record.quantities.front();
  Json time{{"variant", record.variant}};
  if (record.peer) time["peer"] = true;
  if (!record.params.empty()) time["params"] = record.params;
  if (!record.runs_as.empty()) time["runs_as"] = record.runs_as;
  time["time"] = whole.value;
  if (!std::isnan(whole.spread)) time["spread"] = whole.spread;
  if (!whole.samples.empty()) time["samples"] = whole.samples;
  for (const Quantity& part : record.quantities)
    if (is_phase(part)) time["phases"][part.at["phase"].get<std::string>()] = part.value;
  return time;
}

// The record of both.
Json record_of(const Json& shared, const Json& time) {
  Json whole = quantity("time", "s", time.at("time"), "clock");
  for (const char* key : {"spread", "samples"})
    if (time.contains(key)) whole[key] = time[key];
  Json quantities = Json::array();
  quantities.push_back(std::move(whole));
  const Json phases = time.value("phases", Json::object());
  for (const auto& [phase, seconds] : phases.items()) {
    Json part = quantity("time", "s", seconds, "clock");
    part["at"] = {{"phase", phase}};
    quantities.push_back(std::move(part));
  }
  const Json& work = shared.at("work");
  quantities.push_back(quantity("work", work.at("unit"), work.at("value"), "formula"));
  quantities.push_back(quantity("traffic", "B", shared.at("traffic"), "formula"));
  Json record{{"variant", time.at("variant")},
              {"peer", time.value("peer", false)},
              {"params", time.value("params", Json::object())},
              {"status", "measured"},
              {"quantities", std::move(quantities)}};
  if (time.contains("runs_as")) record["runs_as"] = time["runs_as"];
  for (const auto& [key, value] : shared.items())
    if (key != "work" && key != "traffic" && key != "times") record[key] = value;
  return record;
}

}  // namespace

std::size_t timed_problem_size(std::span<const Record> records) {
  std::size_t size = 0;
  while (size < records.size() && is_held(records[size]) && same_problem(records.front(), records[size]))
    ++size;
  return size;
}

Json timed_problem_json(std::span<const Record> records) {
  const Record& first = records.front();
  const Quantity& work = *first.find("work");
  Json json{{"row", first.row},         {"operation", first.operation}, {"backend", first.backend},
            {"element", first.element}, {"shape", first.shape},         {"input", first.input},
            {"threads", first.threads}};
  if (!first.conditions.empty()) json["conditions"] = first.conditions;
  json["error_class"] = name_of(first.error_class);
  json["work"] = {{"unit", work.unit}, {"value", work.value}};
  json["traffic"] = first.value("traffic");
  for (const Record& record : records) json["times"].push_back(time_of(record));
  return json;
}

bool is_timed_problem(const Json& json) { return json.is_object() && json.contains("times"); }

std::vector<Record> timed_problem_from_json(const Json& json) {
  try {
    require_known(json, problem_keys);
    std::vector<Record> records;
    for (const Json& time : json.at("times")) {
      require_known(time, time_keys);
      records.push_back(record_from_json(record_of(json, time)));
    }
    if (records.empty() || records.front().row.empty() || !records.front().stores_class)
      throw Error("a timed problem has no times, no row or no error class");
    return records;
  } catch (const Json::exception& error) {
    throw Error(fmt::format("a measurement is no record: {}", what_of(error)));
  }
}

}  // namespace tallcache
