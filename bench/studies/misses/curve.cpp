#include "bench/studies/misses/curve.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bench/measure/stops_trace.hpp"
#include "bench/studies/misses/records.hpp"
#include "bench/studies/misses/theory.hpp"
#include "common/cache/run_traced.hpp"
#include "common/cache/stack_distances.hpp"

namespace tallcache {
namespace {

// The predictions of theory at the sizes for which it has a formula.
void put_predicted_curve(Record& record, const Problem& problem, const Curve& curve,
                         std::span<const std::size_t> sizes) {
  const auto line = static_cast<double>(curve.line_bytes);
  Quantity quantity{.unit = "1", .origin = Origin::formula, .over = {.name = "cache", .unit = "B"}};
  std::vector<std::string> formulas;
  bool order = false;
  for (std::size_t lines : sizes) {
    const double bytes = static_cast<double>(lines) * line;
    const auto prediction =
        predicted_misses(*curve.candidate.variant, problem.shape, curve.candidate.params, bytes, line);
    if (!prediction) continue;
    quantity.over.points.push_back(bytes);
    quantity.values.push_back(prediction->misses);
    order = order || prediction->order;
    if (formulas.empty() || formulas.back() != prediction->formula) formulas.push_back(prediction->formula);
  }
  if (formulas.empty()) return;
  quantity.name = order ? "order of misses" : "predicted misses";
  quantity.detail = fmt::format("{}", fmt::join(formulas, "; then "));
  record.quantities.push_back(std::move(quantity));
}

}  // namespace

Curve trace_curve(const Problem& problem, const Candidate& candidate, std::size_t line_bytes) {
  cache::StackDistances distances;
  StopsTrace stops;
  Candidate complete = candidate;
  complete.params = complete_params(*candidate.variant, candidate.params);
  const auto counts = cache::trace(line_bytes, {&distances, &stops}, [&](cache::Tracer& tracer) {
    cache::run_traced(*complete.variant, tracer, problem.shape, complete.params, problem.input, problem.seed,
                      problem.own_inputs);
  });
  return {complete, line_bytes, counts.loads, counts.stores, distances.curve()};
}

std::vector<std::size_t> curve_sizes(std::span<const Curve> curves,
                                     std::span<const cache::CacheLevel> levels) {
  std::size_t max = 0;
  for (const Curve& curve : curves) max = std::max(max, curve.misses.size());
  for (const cache::CacheLevel& level : levels) max = std::max(max, level.lines());
  std::vector<std::size_t> list;
  for (std::size_t lines = 4; list.empty() || list.back() <= max; lines *= 2) {
    list.push_back(lines);
    list.push_back(lines + lines / 2);
  }
  return list;
}

void put_curve(Record& record, const Problem& problem, const Curve& curve,
               std::span<const std::size_t> sizes) {
  Quantity& misses = record.quantities.emplace_back(ideal_misses(curve.line_bytes));
  misses.over = {.name = "cache", .unit = "B"};
  for (std::size_t lines : sizes) {
    misses.over.points.push_back(static_cast<double>(lines * curve.line_bytes));
    misses.values.push_back(static_cast<double>(curve.at(lines)));
  }
  put_predicted_curve(record, problem, curve, sizes);
  put_distinct_lines(record, curve);
}

}  // namespace tallcache
