#include "bench/results/record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace tallcache {
namespace {

constexpr std::array<std::string_view, 5> origin_names{"clock", "model", "event", "formula", "reference"};

constexpr std::array<std::string_view, 11> quantity_keys{
    "name", "unit", "at", "value", "over", "values", "spread", "samples", "source", "detail", "reason"};
constexpr std::array<std::string_view, 16> record_keys{
    "operation", "variant", "backend",    "element", "shape",   "params", "input",      "threads",
    "peer",      "row",     "conditions", "status",  "runs_as", "reason", "quantities", "error_class"};

// The unit of an operation's work, for each Rate.
constexpr std::array<std::string_view, 6> work_units{"flop", "B", "key", "call", "cell", "edge"};

// Six digits: the precision of a clock, and a file that a person can read.
double rounded(double value) { return std::stod(fmt::format("{:.6g}", value)); }

std::vector<double> rounded(std::vector<double> values) {
  for (double& value : values) value = rounded(value);
  return values;
}

void put(Json& json, const char* key, double value) {
  if (!std::isnan(value)) json[key] = value;
}
void put(Json& json, const char* key, const std::string& text) {
  if (!text.empty()) json[key] = text;
}
void put(Json& json, const char* key, const Json& object) {
  if (!object.empty()) json[key] = object;
}

Json to_json(const Quantity& quantity) {
  Json json{{"name", quantity.name}, {"unit", quantity.unit}};
  put(json, "at", quantity.at);
  if (!quantity.over.points.empty()) {
    json["over"] = {
        {"name", quantity.over.name}, {"unit", quantity.over.unit}, {"points", quantity.over.points}};
    json["values"] = quantity.values;
  } else {
    json["value"] = std::isnan(quantity.value) ? Json(nullptr) : Json(quantity.value);
  }
  put(json, "spread", quantity.spread);
  if (!quantity.samples.empty()) json["samples"] = quantity.samples;
  json["source"] = to_string(quantity.origin);
  put(json, "detail", quantity.detail);
  put(json, "reason", quantity.reason);
  return json;
}

Json object(const Json& json, const char* key) {
  if (!json.at(key).is_object())
    throw Error(fmt::format("a measurement is no record: '{}' is no object", key));
  return json[key];
}

// Of a document from before it was stored: these variants had another than the standard one then. The
// catalogue is not asked, as a build without CUDA reads a GPU's documents, too.
ErrorClass error_class_before(const Record& record) {
  if (record.operation != "matmul" || record.element == Element<std::int32_t>::name)
    return ErrorClass::standard;
  if (record.variant == "strassen") return ErrorClass::normwise;
  if (record.variant == "three_products") return ErrorClass::split_factors;
  if (record.variant == "three_truncated") return ErrorClass::truncated_sums;
  return ErrorClass::standard;
}

ErrorClass error_class_of(const Json& json, const Record& record) {
  if (!json.contains("error_class")) return error_class_before(record);
  const std::string name = json["error_class"];
  const auto parsed = parse_error_class(name);
  if (!parsed) throw Error(fmt::format("'{}' is no error class", name));
  return *parsed;
}

Axis axis_from_json(const Json& json) {
  return {json.at("name"), json.at("unit"), json.at("points").get<std::vector<double>>()};
}

// Reports compute with these in one unit alone.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> fixed_units{
    {{"time", "s"}, {"transfer time", "s"}, {"traffic", "B"}, {"energy", "J"}}};

void require_unit(const Quantity& quantity) {
  for (const auto& [name, unit] : fixed_units)
    if (quantity.name == name && quantity.unit != unit)
      throw Error(fmt::format("a {} in '{}': it is read in '{}' alone", name, quantity.unit, unit));
}

int threads_from_json(const Json& json, std::string_view variant) {
  const double threads = json.at("threads").get<double>();
  if (!(threads >= 1 && threads <= std::numeric_limits<int>::max() && threads == std::floor(threads)))
    throw Error(fmt::format("{} ran on {} threads", variant, threads));
  return static_cast<int>(threads);
}

Quantity quantity_from_json(const Json& json) {
  require_known(json, quantity_keys);
  Quantity quantity{.name = json.at("name"), .unit = json.at("unit")};
  require_unit(quantity);
  quantity.at = json.value("at", Json::object());
  const std::string source = json.at("source");
  const auto origin = std::ranges::find(origin_names, source);
  if (origin == origin_names.end()) throw Error(fmt::format("'{}' is no source of a quantity", source));
  quantity.origin = static_cast<Origin>(origin - origin_names.begin());
  quantity.detail = json.value("detail", "");
  quantity.reason = json.value("reason", "");
  quantity.spread = json.value("spread", no_value);
  quantity.samples = json.value("samples", std::vector<double>{});
  if (json.contains("over")) {
    if (json.contains("value")) throw Error(fmt::format("{} has a value and a curve", quantity.name));
    quantity.over = axis_from_json(json["over"]);
    quantity.values = json.at("values").get<std::vector<double>>();
    if (quantity.values.empty()) throw Error(fmt::format("{} is a curve without points", quantity.name));
    if (quantity.values.size() != quantity.over.points.size())
      throw Error(fmt::format("{}: {} values over {} points", quantity.name, quantity.values.size(),
                              quantity.over.points.size()));
  } else if (!json.at("value").is_null()) {
    quantity.value = json["value"].get<double>();
  } else if (quantity.reason.empty()) {
    throw Error(fmt::format("{} has neither a value nor a reason", quantity.name));
  }
  return quantity;
}

}  // namespace

void require_known(const Json& object, std::span<const std::string_view> known) {
  for (const auto& item : object.items())
    if (std::ranges::find(known, item.key()) == known.end())
      throw Error(fmt::format("a measurement is no record: unknown key '{}'", item.key()));
}

std::string_view to_string(Origin origin) { return origin_names[static_cast<std::size_t>(origin)]; }

const Quantity* Record::find(std::string_view name, const Json& at) const {
  for (const Quantity& quantity : quantities)
    if (quantity.name == name && quantity.at == at) return &quantity;
  return nullptr;
}

const Quantity* Record::find(std::string_view name, const Json& at, Origin origin) const {
  for (const Quantity& quantity : quantities)
    if (quantity.name == name && quantity.at == at && quantity.origin == origin) return &quantity;
  return nullptr;
}

double Record::value(std::string_view name, const Json& at) const {
  const Quantity* quantity = find(name, at);
  return quantity ? quantity->value : no_value;
}

LaunchMode Record::launch() const {
  return conditions.value("launch", "plain") == "graph" ? LaunchMode::graph : LaunchMode::plain;
}

double Record::seconds_spread() const {
  const Quantity* time = find("time");
  return time ? time->spread : no_value;
}

double Record::rate() const { return rate(seconds()); }

double Record::rate(double seconds) const {
  const Quantity* work = find("work");
  if (!work) return no_value;
  return work->value / seconds * (work->unit == "flop" || work->unit == "B" ? 1e-9 : 1e-6);
}

std::string Record::rate_unit() const {
  const Quantity* work = find("work");
  if (!work) return "";
  return work->unit == "flop" ? "GFLOP/s" : work->unit == "B" ? "GB/s" : fmt::format("M{}s/s", work->unit);
}

bool Record::same_run(const Record& other) const {
  return operation == other.operation && variant == other.variant && backend == other.backend &&
         element == other.element && shape == other.shape && params == other.params && input == other.input &&
         threads == other.threads && conditions == other.conditions && row == other.row;
}

Record to_record(const Problem& problem, const Candidate& candidate) {
  const Operation& operation = *problem.operation;
  const Variant& variant = *candidate.variant;
  Record record{.operation = std::string(operation.name),
                .variant = std::string(variant.name),
                .backend = std::string(variant.backend),
                .element = std::string(operation.element)};
  record.shape = to_json(problem.shape);
  record.params = to_json(complete_params(variant, candidate.params));
  record.input = problem.input.empty() ? operation.inputs.front() : problem.input;
  record.threads = candidate.threads;
  record.peer = variant.peer;
  record.error_class = variant.error_class;
  record.stores_class = true;
  if (problem.pages == Pages::huge) record.conditions["pages"] = "2 MiB";
  if (candidate.launch == LaunchMode::graph) record.conditions["launch"] = "graph";
  if (candidate.fork) record.conditions["fork"] = name_of(*candidate.fork);
  return record;
}

void put_counts(Record& record, std::span<const DeviceCount> counts) {
  for (const DeviceCount& count : counts) {
    Quantity quantity{.name = std::string(count.quantity),
                      .unit = std::string(count.unit),
                      .origin = Origin::event,
                      .detail = std::string(count.event)};
    if (count.value)
      quantity.value = *count.value;
    else
      quantity.reason = count.value.absent;
    record.quantities.push_back(std::move(quantity));
  }
  const Quantity *hit = record.find("L2 sectors hit", Json::object(), Origin::event),
                 *all = record.find("L2 sectors", Json::object(), Origin::event);
  if (!hit || !all) return;
  Quantity rate{
      .name = "L2 hit rate", .unit = "%", .origin = Origin::event, .detail = "hit over all sectors"};
  rate.value = 100 * hit->value / all->value;
  if (std::isnan(rate.value)) rate.reason = hit->reason.empty() ? "no sectors" : hit->reason;
  record.quantities.push_back(std::move(rate));
}

double rated_work(const Operation& operation, const Shape& shape) {
  return rated_work(operation.rate, operation.cost(shape));
}

Record to_record(const Problem& problem, const Measurement& m) {
  Record record = to_record(problem, m.candidate);
  record.outcome = m.outcome;
  if (!m.timed()) return record;
  record.runs_as = m.candidate.variant->runs_as(problem.shape, m.candidate.threads);
  const auto time = [](double value) {
    return Quantity{.name = "time", .unit = "s", .value = rounded(value)};
  };
  const auto counted = [&](const char* name, std::string_view unit, double value) {
    record.quantities.push_back(
        {.name = name, .unit = std::string(unit), .value = value, .origin = Origin::formula});
  };
  Quantity& whole = record.quantities.emplace_back(time(m.median_s()));
  whole.spread = rounded(m.mad_s());
  whole.samples = rounded(m.samples_s);
  for (const auto& [phase, seconds] : m.phases)
    record.quantities.emplace_back(time(seconds)).at = {{"phase", phase}};
  const Operation& operation = *problem.operation;
  counted("work", work_units[static_cast<std::size_t>(operation.rate)], rated_work(operation, problem.shape));
  counted("traffic", "B", operation.cost(problem.shape).bytes);
  put_counts(record, m.counts);
  return record;
}

Json to_json(const Record& record) {
  Json json{{"operation", record.operation}, {"variant", record.variant}, {"backend", record.backend},
            {"element", record.element},     {"shape", record.shape},     {"params", record.params},
            {"input", record.input},         {"threads", record.threads}, {"peer", record.peer}};
  if (record.stores_class) json["error_class"] = name_of(record.error_class);
  put(json, "conditions", record.conditions);
  put(json, "runs_as", record.runs_as);
  put(json, "row", record.row);
  json["status"] = to_string(record.outcome.status);
  put(json, "reason", record.outcome.reason);
  json["quantities"] = Json::array();
  for (const Quantity& quantity : record.quantities) json["quantities"].push_back(to_json(quantity));
  return json;
}

Record record_from_json(const Json& json) {
  try {
    require_known(json, record_keys);
    Record record{.operation = json.at("operation"),
                  .variant = json.at("variant"),
                  .backend = json.at("backend"),
                  .element = json.at("element")};
    record.shape = object(json, "shape");
    record.params = object(json, "params");
    record.input = json.at("input");
    record.threads = threads_from_json(json, record.variant);
    record.peer = json.at("peer");
    record.error_class = error_class_of(json, record);
    record.stores_class = json.contains("error_class");
    record.conditions = json.value("conditions", Json::object());
    if (record.conditions.contains("launch") && record.conditions["launch"] != "graph")
      throw Error(fmt::format("{} is no way to launch", record.conditions["launch"].dump()));
    record.runs_as = json.value("runs_as", "");
    record.row = json.value("row", "");
    const std::string status = json.at("status");
    const auto parsed = parse_status(status);
    if (!parsed) throw Error(fmt::format("'{}' is no status", status));
    record.outcome = {*parsed, json.value("reason", "")};
    if (*parsed != Status::measured && *parsed != Status::pending && record.outcome.reason.empty())
      throw Error(fmt::format("{} is {} without a reason", record.variant, status));
    for (const Json& quantity : json.at("quantities"))
      record.quantities.push_back(quantity_from_json(quantity));
    const auto above = [](double seconds) { return seconds > 0; };
    if (const Quantity* time = record.find("time");
        time && !(time->values.empty() ? above(time->value) : std::ranges::all_of(time->values, above)))
      throw Error(fmt::format("{} has a time that is not above 0", record.variant));
    return record;
  } catch (const Json::exception& error) {
    throw Error(fmt::format("a measurement is no record: {}", what_of(error)));
  }
}

void require_right(std::span<const Record> records) {
  std::string wrong;
  for (const Record& record : records)
    if (record.outcome.status == Status::wrong)
      wrong += fmt::format("{}{} {}: {}", wrong.empty() ? "" : "; ", record.variant, record.shape.dump(),
                           record.outcome.reason);
  if (!wrong.empty()) throw Error(wrong, Status::wrong);
}

}  // namespace tallcache
