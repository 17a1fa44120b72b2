#include "bench/studies/misses/records.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bench/studies/misses/theory.hpp"
#include "common/papi/simulated.hpp"

namespace tallcache {
namespace {

using Value = std::optional<long long>;

Quantity counted(const char* name, const Value& value, Source source, const EventChoice& choice,
                 Json at = Json::object()) {
  Quantity quantity{.name = name,
                    .unit = "1",
                    .origin = source == Source::hardware ? Origin::event : Origin::model,
                    .detail = choice.event,
                    .at = std::move(at)};
  if (value)
    quantity.value = static_cast<double>(*value);
  else
    quantity.reason = choice.event.empty() ? choice.reason : "PAPI did not read " + choice.event;
  return quantity;
}

void put_level(Record& record, const LevelMisses& counts, int level, Source source) {
  const Json at{{"level", level}};
  record.quantities.push_back(counted("accesses", counts.accesses, source,
                                      event_for(fmt::format("L{} data accesses", level), source), at));
  Quantity& misses = record.quantities.emplace_back(
      counted("misses", counts.misses, source, {counts.event, counts.reason}, at));
  if (!counts.reason.empty()) misses.reason = counts.reason;
  const auto of_kind = [&](const char* name, const Value& value, Simulated event) {
    if (value)
      record.quantities.push_back(
          counted(name, value, source, {std::string(papi_name(at_level(event, level))), {}}, at));
  };
  of_kind("cold", counts.cold, Simulated::l1_cold);
  of_kind("capacity", counts.capacity, Simulated::l1_capacity);
  of_kind("conflict", counts.conflict, Simulated::l1_conflict);
}

void put_prediction(Record& record, const Problem& problem, const Candidate& candidate,
                    const cache::CacheLevel& cache, int level) {
  const Params params = complete_params(*candidate.variant, candidate.params);
  const auto theory = predicted_misses(*candidate.variant, problem.shape, params,
                                       static_cast<double>(cache.bytes), static_cast<double>(cache.line));
  if (!theory) return;
  record.quantities.push_back({.name = theory->order ? "order of misses" : "predicted misses",
                               .unit = "1",
                               .value = theory->misses,
                               .origin = Origin::formula,
                               .detail = theory->formula,
                               .at = {{"level", level}}});
}

}  // namespace

Quantity ideal_misses(std::size_t line_bytes) {
  return {.name = "misses",
          .unit = "1",
          .origin = Origin::model,
          .detail = fmt::format("ideal cache, LRU, lines of {} B", line_bytes)};
}

void put_distinct_lines(Record& record, const Curve& curve) {
  Quantity lines = ideal_misses(curve.line_bytes);
  lines.name = "distinct lines";
  lines.value = static_cast<double>(curve.cold());
  record.quantities.push_back(std::move(lines));
}

Outcome obstacle(const Problem& problem, const Candidate& candidate, Source source) {
  const Variant& variant = *candidate.variant;
  if (source == Source::simulated && !variant.trace) return {Status::unsupported, "a library: not traced"};
  if (std::string reason = variant.unavailable(); !reason.empty()) return {Status::unavailable, reason};
  if (!variant.supports(problem.shape)) return {Status::unsupported, "does not support this shape"};
  return {};
}

void put_work(Record& record, const Problem& problem) {
  std::erase_if(record.quantities, [](const Quantity& quantity) { return quantity.name == "work"; });
  const Work work = work_of(*problem.operation, problem.shape);
  record.quantities.push_back(
      {.name = "work", .unit = std::string(work.unit), .value = work.amount, .origin = Origin::formula});
}

Record counted_record(const Problem& problem, const Candidate& candidate, Source source,
                      std::span<const cache::CacheLevel> levels, Workspace* workspace) {
  Record record = to_record(problem, candidate);
  record.outcome = obstacle(problem, candidate, source);
  if (record.outcome.status != Status::pending) return record;
  MissCounts counts;
  if (source == Source::simulated) {
    counts = simulated_misses(problem, candidate, levels);
  } else if (const Check check = workspace->verify(candidate); !check) {
    record.outcome = {Status::wrong, check.message()};
    return record;
  } else {
    counts = hardware_misses(*workspace, candidate);
  }
  record.outcome.status = Status::measured;
  put_work(record, problem);
  record.quantities.push_back(counted("loads", counts.loads, source, event_for("loads", source)));
  record.quantities.push_back(counted("stores", counts.stores, source, event_for("stores", source)));
  for (std::size_t i = 0; i < levels.size() && i < counts.levels.size(); ++i) {
    const int level = static_cast<int>(i) + 1;
    put_level(record, counts.levels[i], level, source);
    put_prediction(record, problem, candidate, levels[i], level);
  }
  return record;
}

void merge(Document& document, Record record) {
  for (Record& known : document.measurements) {
    if (!known.same_run(record)) continue;
    if (known.outcome.measured()) known.outcome = record.outcome;
    for (Quantity& quantity : record.quantities)
      if (!known.find(quantity.name, quantity.at, quantity.origin))
        known.quantities.push_back(std::move(quantity));
    return;
  }
  document.measurements.push_back(std::move(record));
}

}  // namespace tallcache
