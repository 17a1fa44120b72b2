#include "bench/tables/complexity.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>

#include "common/cache/opt.hpp"
#include "common/cache/stack_distances.hpp"

namespace tallcache {
namespace {

/// One run of the algorithm: the caches whose misses it counts, and whether it also counts OPT's at the
/// centre's size.
struct Trace {
  double n, l;
  std::vector<double> z{};
  bool optimal = false;
};

std::vector<Trace> traces_of(const Claim& claim, bool first_only) {
  std::vector<Trace> traces;
  const auto add = [&](const Setting& at, bool optimal) {
    auto trace = std::ranges::find_if(traces, [&](const Trace& t) { return t.n == at.n && t.l == at.l; });
    if (trace == traces.end()) trace = traces.insert(traces.end(), {at.n, at.l});
    if (std::ranges::find(trace->z, at.z) == trace->z.end()) trace->z.push_back(at.z);
    trace->optimal = trace->optimal || optimal;
  };
  const Setting& centre = claim.centre;
  for (double n : claim.n) {
    add({n, centre.z, centre.l}, true);
    if (first_only) return traces;
  }
  for (double z : claim.z) add({centre.n, z, centre.l}, false);
  for (double l : claim.l) add({centre.n, centre.z, l}, false);
  for (const Setting& other : claim.others) add(other, false);
  return traces;
}

Record count(const Claim& claim, const Trace& trace) {
  cache::StackDistances all;
  cache::OptCache opt;
  std::vector<cache::Model*> models{&all};
  if (trace.optimal) models.push_back(&opt);
  cache::trace(static_cast<std::size_t>(trace.l) * claim.word, models,
               [&](cache::Tracer& tracer) { claim.run(tracer, static_cast<Index>(trace.n)); });
  const auto lines = [&](double z) { return static_cast<std::size_t>(z / trace.l); };
  Record record{.operation = std::string(claim.operation),
                .variant = std::string(claim.variant),
                .backend = "cpu",
                .element = claim.word == 4 ? "uint32" : "double"};
  record.shape = {{"n", static_cast<Index>(trace.n)}};
  record.conditions = {{"line_words", static_cast<Index>(trace.l)}};
  record.outcome.status = Status::measured;
  Quantity& lru = record.quantities.emplace_back(
      Quantity{.name = "misses", .unit = "1", .origin = Origin::model, .detail = "ideal cache, LRU"});
  lru.over = {"cache", "word", trace.z};
  for (double z : trace.z) lru.values.push_back(static_cast<double>(all.misses(lines(z))));
  if (trace.optimal)
    record.quantities.push_back({.name = "misses",
                                 .unit = "1",
                                 .value = static_cast<double>(opt.misses(lines(claim.centre.z))),
                                 .origin = Origin::model,
                                 .detail = "ideal cache, OPT",
                                 .at = {{"replacement", "OPT"}}});
  return record;
}

}  // namespace

std::vector<Record> count_misses(const Claim& claim, bool first_only) {
  const std::vector<Trace> traces = traces_of(claim, first_only);
  std::vector<Record> records(traces.size());
  tbb::parallel_for(std::size_t{0}, traces.size(),
                    [&](std::size_t i) { records[i] = count(claim, traces[i]); });
  return records;
}

Experiment experiment_from(const Claim& claim, std::span<const Record* const> records) {
  const auto add = [&](std::vector<Misses>& range, const Setting& at) {
    for (const Record* record : records) {
      const Quantity* lru = record->find("misses");
      if (!lru || record->shape.at("n") != at.n || record->conditions.at("line_words") != at.l) continue;
      const auto point = std::ranges::find(lru->over.points, at.z);
      if (point == lru->over.points.end()) continue;
      const double opt =
          at.z == claim.centre.z ? record->value("misses", {{"replacement", "OPT"}}) : no_value;
      const auto place = static_cast<std::size_t>(point - lru->over.points.begin());
      range.push_back({at, lru->values.at(place), claim.formula(at), opt});
    }
  };
  Experiment experiment;
  const Setting& centre = claim.centre;
  for (double n : claim.n) add(experiment.n, {n, centre.z, centre.l});
  for (double z : claim.z) add(experiment.z, {centre.n, z, centre.l});
  for (double l : claim.l) add(experiment.l, {centre.n, centre.z, l});
  for (const Setting& other : claim.others) add(experiment.others, other);
  return experiment;
}

Experiment run_experiment(const Claim& claim) {
  const std::vector<Record> records = count_misses(claim);
  std::vector<const Record*> list;
  for (const Record& record : records) list.push_back(&record);
  return experiment_from(claim, list);
}

namespace {
template <class Value>
Spread spread_of(const Experiment& experiment, Value&& value) {
  Spread spread{HUGE_VAL, 0};
  for (const auto* range : {&experiment.n, &experiment.z, &experiment.l})
    for (const Misses& misses : *range) {
      spread.min = std::min(spread.min, value(misses));
      spread.max = std::max(spread.max, value(misses));
    }
  return spread;
}
}  // namespace

Setting fit_exponents(const Experiment& experiment, double (*value)(const Misses&)) {
  const auto fit = [value](const std::vector<Misses>& range, double Setting::*along) {
    std::vector<double> x, y;
    for (const Misses& misses : range) {
      x.push_back(misses.at.*along);
      y.push_back(value(misses));
    }
    return fit_power_law(x, y).exponent;
  };
  return {fit(experiment.n, &Setting::n), fit(experiment.z, &Setting::z), fit(experiment.l, &Setting::l)};
}

Spread spread_of_ratios(const Experiment& experiment) {
  return spread_of(experiment, [](const Misses& misses) { return misses.ratio(); });
}

Spread spread_of_constants(const Experiment& experiment, const Setting& e) {
  return spread_of(experiment, [&e](const Misses& m) {
    return m.lru / (std::pow(m.at.n, e.n) * std::pow(m.at.z, e.z) * std::pow(m.at.l, e.l));
  });
}

}  // namespace tallcache
